#pragma once

#include <cstddef>
#include <cstdint>

/// The numbers of this library that are chosen by measurement or for a cache, none of which changes a result. Those
/// that follow from an algorithm or from registers (lanes, masks, vectors of a block) stand beside it.
///
/// A first-level cache is taken to have 32 to 48 KiB, a second-level cache 1 to 2 MiB, a line 64 bytes. "Items" are
/// elements plus segments (see pieces.h). What is called a decision is a file of docs/decisions.

namespace cvl::cpu {

// What a thread does at a time.

/// Elements of a block of an elementwise operation: 256 KiB of doubles per vector, so that three lie in a second-level
/// cache.
inline constexpr std::int64_t kElementwiseBlock = 32768;
/// Elements of a block of RAND, whose arithmetic takes several times as long as a sum.
inline constexpr std::int64_t kRandomBlock = 16384;
/// Items of a piece of a reduction or a scan, and at most of a kernel's: small enough for the second pass of a scan to
/// find its operand in the second-level cache (decision 013).
inline constexpr std::int64_t kPieceItems = 32768;
/// Items of a piece of DIST or INDEX: as many bytes as an elementwise operation writes in a block.
inline constexpr std::int64_t kDistPieceItems = 32768;
/// Items of a piece of a gather, whose elements may each cost a miss.
inline constexpr std::int64_t kGatherPieceItems = 16384;
/// Items of a piece of a scatter, whose elements may each cost a miss; elements of a block that looks for last writers.
inline constexpr std::int64_t kScatterPieceItems = 16384;
/// Segments of a block of EXTRACT or REPLACE: one element of each may cost a miss.
inline constexpr std::int64_t kExtractBlock = 16384;
/// Items of a piece of a pack: enough that finding a piece's segments costs nothing beside it, few enough that its
/// flags as bits stay in the first-level cache.
inline constexpr std::int64_t kPackPieceItems = 32768;
/// Segments of a block of what is done with lengths: as many bytes as an elementwise operation reads in a block.
inline constexpr std::int64_t kLengthsBlock = 32768;
/// Bytes of a block of a copy, a clearing or a look for what was not written: as an elementwise operation's.
inline constexpr std::int64_t kBytesBlock = 256 << 10;

/// Times that a thread asks for what the piece before hands on, some microseconds, before it takes the other thread to
/// have been stopped by the system: with six other processes on two cores giving up took a scan from 5.6 times its peer
/// to 0.9 (decision 013).
inline constexpr int kPatience = 4000;

// Past the cache (decision 011), and from memory.

/// Bytes of a result from which on it is written past the cache. Sums of two vectors of 4 MB and more gain a third, of
/// 1 MB lose a fifth.
inline constexpr std::int64_t kStreamBytes = 2 << 20;
/// The same on AMD's processors for results that are written without reading a vector of their size: their third-level
/// cache takes whole lines from a core several times as fast as memory does.
inline constexpr std::int64_t kStreamFilledBytesAmd = 8 << 20;
/// Bytes ahead that scans, chains and reductions of short segments ask for operands that come from memory: faster on a
/// Xeon, no difference on an EPYC (decision 013).
inline constexpr std::ptrdiff_t kAheadBytes = 4096;
/// Bytes from an element of an input to the one that a chain asks for meanwhile (measured).
inline constexpr std::int64_t kChainAheadBytes = 2048;
/// Bytes of the widest operand that an elementwise operation computes with at a time, from L1 to L1, when its result is
/// streamed or may have faults: so few that loads and streamed stores take turns (adding 10^7 doubles 1.46 times a peer
/// with 8 KiB, 1.00 with 512 bytes: decision 011).
inline constexpr std::int64_t kElementwiseChunkBytes = 512;
/// Bytes that DIST and INDEX fill in the first-level cache before they are streamed. Few enough for one chunk to be
/// filled while the last drains, but more than the stores a processor holds back: loads would wait for these.
inline constexpr std::int64_t kDistChunkBytes = 8192;
/// Bytes of a segment still to come from which on it is streamed without being filled there first.
inline constexpr std::int64_t kDistLongBytes = 512;

// Scans, reductions, gathers and scatters.

/// Elements whose marks a scan makes at a time, a byte each; a multiple of 64.
inline constexpr std::int64_t kScanChunk = 4096;
/// Segments whose lengths a reduction looks at before it folds any of them. Their lengths are then read back from
/// memory, where a load spreads one over a register; out of a register that takes several shuffles.
inline constexpr int kReduceSegments = 128;
/// Elements whose places are found before any is moved: with 256 less of the two overlaps (10^6 i32 at random 1.29
/// times the peer, with 128 1.18: decision 013).
inline constexpr std::int64_t kPlaces = 128;
/// Bytes of one segment from which on, and below which, gather instructions beat single loads. Nearer, in the
/// first-level cache, single loads are faster on processors that gather by micro-operations; farther, they get more
/// misses under way (decision 013).
inline constexpr std::int64_t kGatherNearBytes = std::int64_t{256} << 10, kGatherFarBytes = std::int64_t{16} << 20;
/// Bytes of a result in one segment up to which one thread writes it all. Several, each writing all over it, would take
/// its cache lines from each other (10^5 elements 4.5 ns each, by one thread 1.8: decision 013).
inline constexpr std::int64_t kOneWriterBytes = 1 << 20;
/// Threads up to which each reads all indices of a scatter with defaults and writes its own places. With more, that
/// costs more than noting last writers.
inline constexpr int kMostOwners = 4;
/// Places after which the sum of their hashes is kept: 8 bytes for 4096 places (decision 013).
inline constexpr std::int64_t kPlaceSumStep = 4096;
/// Counters of a random sequence that are computed together: what the loops of a round need lies in 1 KiB.
inline constexpr int kRandomCounters = 64;

// Ranking (decision 013).

/// Elements whose range one thread looks at; segments among which it looks for long ones.
inline constexpr std::int64_t kRankRangeBlock = 65536;
/// The fewest elements that a thread moves.
inline constexpr std::int64_t kRankFewestMoved = 8192;
/// About 2^(kRankBucketBits - 1) keys are wanted in a bucket: with their counts they fit the first-level cache.
inline constexpr int kRankBucketBits = 10;
/// Items of segments that one thread ranks.
inline constexpr std::int64_t kRankPieceItems = 8192;
/// Blocks per thread of a pass: enough to even out threads that run at different speeds.
inline constexpr int kRankBlocksPerThread = 3;
/// Most bits of a digit: so many lists can be written at a time at the speed of the second-level cache.
inline constexpr int kRankDigitBits = 11;
/// Most elements that are ranked by one thread in the second-level cache.
inline constexpr std::int64_t kRankBucket = 16384;
/// Keys computed at a time, between first-level cache and first-level cache.
inline constexpr std::int64_t kRankTile = 512;
/// Bytes of the buffer of a list: two lines, which are then written past the cache.
inline constexpr int kRankListBytes = 128;
/// Elements for each list from which on the lists' buffers are worth their emptying.
inline constexpr std::int64_t kRankElementsPerList = 32;
/// Up to so many elements are ranked by comparing each with each.
inline constexpr std::int64_t kRankCompared = 48;

// Kernels (decision 030).

/// Elements of the tiles of a kernel with many values, and of one with few: as many as the first-level cache can hold,
/// so that calling a loop costs little beside it.
inline constexpr std::int64_t kSmallestTile = 512, kLargestTile = 2048;
/// Bytes of all tiles of a thread.
inline constexpr std::int64_t kTileBytes = 32 << 10;
/// Bytes a thread keeps of a piece while it waits for carries: an eighth of a second-level cache, or less.
inline constexpr std::int64_t kKeptBytes = 256 << 10;
/// So many operations of one flop cost less than writing their result to the second-level cache and reading it back
/// (measured).
inline constexpr int kCheapWork = 2;
/// Items of a piece, fewer than which are not worth the wait for carries.
inline constexpr std::int64_t kFewestPieceItems = 4096;
/// Segments of a tile of the operations behind reductions: 8 KiB of doubles.
inline constexpr std::int64_t kEpilogueTile = 1024;

// Memory (decision 012).

/// Bytes of a slab, which is cut into blocks of one size.
inline constexpr std::size_t kSlabBytes = 256 << 10;
/// Bytes of a huge page on most machines; a wrong guess only loses speed. Its first touch runs at 8 GB/s and more, that
/// of small ones at 2.5.
inline constexpr std::size_t kHugePageBytes = 2 << 20;
/// Bytes of addresses that become accessible at a time: one call of the system, not one for each block.
inline constexpr std::size_t kCommitBytes = 32 << 20;
/// Bytes in which pages are counted and given back.
inline constexpr std::size_t kGranuleBytes = 64 << 10;
/// Bytes held beyond 5/4 of the peak.
inline constexpr std::size_t kSlackBytes = 32 << 20;

}  // namespace cvl::cpu
