#pragma once

#include <cstddef>
#include <cstdint>

/// The tuning numbers of this library: sizes and thresholds that were chosen by measurement or to fit a cache. They do
/// not change results, but for the last digits of sums of floats, which are associated by pieces and tiles. Constants
/// that follow from an algorithm or from registers (lanes, masks, vectors of a block) are defined where they are used.
///
/// A first-level cache is taken to have 32 to 48 KiB, a second-level cache 1 to 2 MiB, a line 64 bytes. "Items" are
/// elements plus segments (see pieces.h). Where a comment states a reason and no measurement, other values have not
/// been compared. Decisions are files of docs/decisions; they name the processors that were measured.

namespace cvl::cpu {

// Sizes of blocks and pieces, the units that threads take.

/// Elements of a block of an elementwise operation: 256 KiB of doubles per vector, so that two operands and a result
/// fit into the second-level cache.
inline constexpr std::int64_t kElementwiseBlock = 32768;
/// Elements of a block of RAND, whose arithmetic takes several times as long as a sum.
inline constexpr std::int64_t kRandomBlock = 16384;
/// Items of a piece of a reduction or a scan, and at most of a kernel's: small enough that the second pass of a scan
/// finds its operand in the second-level cache (decision 016).
inline constexpr std::int64_t kPieceItems = 32768;
/// From so many elements on, arg-reductions fold first, and then look for the place; so many at a time.
inline constexpr std::int64_t kFewForExtreme = 32, kExtremeBlock = 2048;
/// Items of a piece of DIST or INDEX: as many bytes as an elementwise operation writes in a block.
inline constexpr std::int64_t kDistPieceItems = 32768;
/// Items of a piece of an operation that moves blocks: as of DIST.
inline constexpr std::int64_t kRangePieceItems = 32768;
/// Blocks of up to so many bytes are moved by an inlined loop, longer ones by a call of memcpy. Other limits were not
/// tried.
inline constexpr std::int64_t kShortBlockBytes = 256;
/// Items of a piece of a gather: half of an elementwise block, as each element may cost a cache miss.
inline constexpr std::int64_t kGatherPieceItems = 16384;
/// Items of a piece of a scatter, as of a gather; elements of a block of the pass that resolves last writers.
inline constexpr std::int64_t kScatterPieceItems = 16384;
/// Segments of a block of EXTRACT or REPLACE, whose element of each segment may cost a cache miss.
inline constexpr std::int64_t kExtractBlock = 16384;
/// Items of a piece of a pack: large beside the search for the piece's segments, small enough that its flags as bits
/// (4 KiB) stay in the first-level cache.
inline constexpr std::int64_t kPackPieceItems = 32768;
/// Items of a piece of COUNT_INTS: many, as each piece adds its counts to those of its segment.
inline constexpr std::int64_t kCountPieceItems = 131072;
/// Most numbers that are counted in four tables of the thread first: with 64 bits each they take 32 KiB. Fewest
/// elements for each of these numbers that repay clearing and adding up the tables.
inline constexpr std::int64_t kCountedInTables = 1023, kElementsForTables = 4;
/// Lengths of a block of their summary or their offsets: as many bytes as an elementwise operation reads in a block.
inline constexpr std::int64_t kLengthsBlock = 32768;
/// Bytes of a block when memory is copied, cleared, or searched for places not written: those of an elementwise block.
inline constexpr std::int64_t kBytesBlock = 256 << 10;
/// First step of a galloping search for the segments where a piece ends.
inline constexpr std::int64_t kGallopStep = 8;

/// Times that a thread polls for the carry of the piece before its own, some microseconds, until it assumes that the
/// system has preempted the other thread. With six other processes on two cores, computing the carry again after that
/// took a scan from 5.6 times its peer's time to 0.9 (decision 016).
inline constexpr int kPatience = 4000;

// Non-temporal stores (decision 015) and prefetching.

/// Bytes of a result from which on non-temporal stores write it past the cache. Adding two vectors with two threads of
/// a Xeon: 75 to 83 GB/s instead of 60 for 4 MB and more, 111 instead of 127 to 150 for 1 MB.
inline constexpr std::int64_t kStreamBytes = 2 << 20;
/// The same on AMD's processors for results that are written without reading a vector of their size. Filling 8 MB with
/// one thread of an EPYC takes 0.116 ns an element with ordinary stores, which its third-level cache takes, 0.30 with
/// non-temporal ones.
inline constexpr std::int64_t kStreamFilledBytesAmd = 8 << 20;
/// Distance in bytes at which scans and reductions of short segments prefetch operands from memory. A scan of 10^7 i32
/// with one thread takes 0.50 ns an element instead of 0.64 on a Xeon; on an EPYC there is no difference (decision
/// 016). Gathers prefetch indices at the same distance (decision 018).
inline constexpr std::ptrdiff_t kAheadBytes = 4096;
/// The same for the inputs of compiled regions with gathers or scans, into the second-level cache (decision 018).
inline constexpr std::ptrdiff_t kRegionAheadBytes = 8192;
/// Compiled regions prefetch what gathers read so many elements later, if the table has at least this size: others are
/// mostly in a cache, where it costs more than it saves (decision 018).
inline constexpr std::int64_t kFarElements = 64, kFarTableBytes = std::int64_t{2} << 20;
/// Bytes of the widest operand that an elementwise operation computes at a time into the first-level cache, if its
/// result is streamed or may have faults. With small chunks, loads and streamed stores alternate: adding 10^7 doubles
/// takes 1.46 times a peer's time with 8 KiB, 1.00 with 512 bytes (decision 015).
inline constexpr std::int64_t kElementwiseChunkBytes = 512;
/// Bytes that DIST and INDEX compute at a time into the first-level cache before they are streamed, so that one chunk
/// is filled while the stores of the last one drain. A chunk must exceed what the store buffers of a processor hold, or
/// its loads wait for them.
inline constexpr std::int64_t kDistChunkBytes = 8192;
/// Bytes left of a segment from which on DIST and INDEX stream it from registers, without a chunk.
inline constexpr std::int64_t kDistLongBytes = 512;

// Scans, reductions, gathers and scatters.

/// Elements whose head flags a scan makes at a time, a byte each; a multiple of 64. They stay in the first-level cache.
inline constexpr std::int64_t kScanChunk = 4096;
/// Segments whose lengths a reduction computes before it folds any of them. The lengths are then read from memory,
/// where one load broadcasts a length to a register; from a register that takes several shuffles (decision 016).
inline constexpr int kReduceSegments = 128;
/// Elements whose places are computed before any of them is moved. A permute of 10^6 i32 at random takes 1.18 times its
/// peer's time, with 256 elements 1.29: the computation then overlaps less with the stores (decision 016).
inline constexpr std::int64_t kPlaces = 128;
/// Fewer elements per segment than this, on average over a chunk of places, make the segments "tiny": their starts and
/// lengths are spread by running maxima instead of a loop over segments (decision 016).
inline constexpr std::int64_t kTinySegment = 4;
/// A gather from one segment uses gather instructions if the segment has at least the first and less than the second
/// number of bytes. Below, single loads are faster on processors that gather by micro-operations: gathers from segments
/// of 1000 take 1.1 times their peer's time instead of 1.5 on an EPYC. Above, single loads have more misses in flight
/// (decision 016).
inline constexpr std::int64_t kGatherNearBytes = std::int64_t{256} << 10, kGatherFarBytes = std::int64_t{16} << 20;
/// Bytes of a result of one segment up to which one thread scatters alone. Several threads would take cache lines from
/// each other: 10^5 elements at random take 4.5 ns each with two threads, 1.8 with one (decision 016).
inline constexpr std::int64_t kOneWriterBytes = 1 << 20;
/// Most threads that each read all indices of a scatter with defaults and write their own places only. More threads
/// would read more than it costs to record the last writers.
inline constexpr int kMostOwners = 4;
/// Elements for each place and thread from which on threads scatter with defaults into copies of the result. Where each
/// of two threads reads all elements, 10^7 to random ones of 1000 places take 41 ms; with one thread 7.6.
inline constexpr std::int64_t kElementsForCopies = 4;
/// The sum of the hashes of places is kept for every multiple of this many places: 8 bytes for 4096 (decision 016).
inline constexpr std::int64_t kPlaceSumStep = 4096;
/// Counters of a random sequence that are computed together: the four words of each fit into 1 KiB.
inline constexpr int kRandomCounters = 64;

// Ranking (decision 016).

/// Elements of a block when the range of keys is computed; segments of a block when long ones are searched for.
inline constexpr std::int64_t kRankRangeBlock = 65536;
/// Fewest elements per thread when keys are moved into buckets.
inline constexpr std::int64_t kRankFewestMoved = 8192;
/// Buckets get 2^(kRankBucketBits - 1) to 2^kRankBucketBits keys if keys are spread evenly: with their counts these fit
/// into the first-level cache.
inline constexpr int kRankBucketBits = 10;
/// Items of a piece when segments are ranked, each by one thread.
inline constexpr std::int64_t kRankPieceItems = 8192;
/// Blocks per thread of a pass, so that a slow thread can leave blocks to others.
inline constexpr int kRankBlocksPerThread = 3;
/// Most bits of a digit: the ends of 2048 lists stay in the second-level cache while keys are appended to them.
inline constexpr int kRankDigitBits = 11;
/// Fewer keys than the first number are sorted by digits of at most the second number of bits, whose counts are cleared
/// and summed sooner.
inline constexpr std::int64_t kRankFewKeys = 256;
inline constexpr int kRankFewKeysDigitBits = 8;
/// Most elements that one thread ranks in the second-level cache: two arrays of 128 or 256 KiB.
inline constexpr std::int64_t kRankBucket = 16384;
/// Keys that are computed at a time into the first-level cache.
inline constexpr std::int64_t kRankTile = 512;
/// Bytes of the write buffer of a list: two lines, which are streamed together.
inline constexpr int kRankListBytes = 128;
/// Elements per list from which on write buffers are used: fewer are not worth flushing the buffers.
inline constexpr std::int64_t kRankElementsPerList = 32;
/// Most elements that are ranked by comparing each pair.
inline constexpr std::int64_t kRankCompared = 48;

// Kernels (decision 017).

/// Elements of the tiles of a kernel with many values, and of one with few. All tiles fit into the first-level cache,
/// and a call of a loop costs little beside a tile. A reduction of segments of 10 behind a chain takes 1.64 to 1.83
/// times the reduction's time with tiles of 2048 elements, 2.1 times with 1024, and no less with 4096.
inline constexpr std::int64_t kSmallestTile = 512, kLargestTile = 2048;
/// Bytes of all tiles of a thread.
inline constexpr std::int64_t kTileBytes = 32 << 10;
/// Bytes of a piece's values that a thread keeps while it waits for carries: at most a quarter of a second-level cache.
inline constexpr std::int64_t kKeptBytes = 256 << 10;
/// A value that is computed from inputs by at most this many operations of one flop is computed twice instead of kept:
/// that was faster than to write it to the second-level cache and read it back. The figures were not kept.
inline constexpr int kCheapWork = 2;
/// Fewest items of a piece: with fewer, threads mostly wait for carries.
inline constexpr std::int64_t kFewestPieceItems = 4096;
/// Segments of a tile of the operations behind reductions: 8 KiB of doubles.
inline constexpr std::int64_t kEpilogueTile = 1024;
/// Seconds that the tile engine may take for a kernel, over all runs, until it is compiled. The first kernel of a
/// process took 26 ms to compile, later ones 5 to 14 (50 vector operations each, on a busy machine; decision 018).
inline constexpr double kSecondsUntilHot = 0.01;
/// Up to so many elements, the steps of a kernel take less time one after the other than in tiles: their intermediate
/// results stay in the first-level cache in either case, and setting up a run takes as long as several operations
/// (decision 017).
inline constexpr std::int64_t kFewElements = 4096;
/// Seconds that a step of a kernel is assumed to take where it runs by itself on a short vector. On 64 doubles it takes
/// 33 ns, on 1000 doubles 80 (decision 018).
inline constexpr double kSecondsOfStep = 50e-9;
/// Elements of a segment, on average over a tile, from which on native code goes by segments. Against segments that the
/// tile engine spreads and folds, k-means with ten centres takes 32 ms instead of 56, queens 7.2 instead of 9.1; with 4
/// there is no difference (decision 019).
inline constexpr std::int64_t kLongSegment = 8;
/// The same where the region gathers and reads what SLICE takes from elsewhere for each segment: a gather by vectors
/// fills few lanes then. The distances of what breadth_first.power_law reaches, rows of 8 to 32 mostly, take 14 ns an
/// element in place of 20.
inline constexpr std::int64_t kLongSlicedSegment = 32;
/// Elements of a segment up to which native code goes across segments, with one in each lane: if the segments have
/// different lengths, lanes wait for the longest.
inline constexpr std::int64_t kLongestAcross = 32;
/// Bytes on the stack for the bookkeeping of a run, so that short runs, of which programs make many, do not allocate.
inline constexpr std::size_t kRunBytes = 8192;

// Memory (decision 015).

/// Bytes of a slab, which is cut into blocks of one size.
inline constexpr std::size_t kSlabBytes = 256 << 10;
/// Bytes of a huge page on most machines; a wrong guess only loses speed. First touch runs at 8 to 9.5 GB/s in huge
/// pages, at 2.4 to 2.8 in small ones.
inline constexpr std::size_t kHugePageBytes = 2 << 20;
/// Bytes of address space that one system call makes accessible.
inline constexpr std::size_t kCommitBytes = 32 << 20;
/// Bytes of a granule, the unit in which memory is counted and given back to the system.
inline constexpr std::size_t kGranuleBytes = 64 << 10;
/// Bytes that may be held beyond 5/4 of the peak before memory is given back.
inline constexpr std::size_t kSlackBytes = 32 << 20;

}  // namespace cvl::cpu
