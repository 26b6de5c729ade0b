#pragma once

#include <cstdint>

/// Tuning numbers (see README.md in this folder) of operations: sizes of their blocks and chunks, the units that
/// threads take, and how long a thread waits for another one.

namespace cvl::cpu {

/// Elements of a block of an elementwise operation: 256 KiB of doubles per vector, so that two operands and a result
/// fit into the second-level cache.
inline constexpr std::int64_t kElementwiseBlock = 32768;
/// Elements of a block of RAND, whose arithmetic takes several times as long as a sum.
inline constexpr std::int64_t kRandomBlock = 16384;
/// Items of a chunk of a reduction or a scan, and most items of a chunk of a kernel. The second pass of a scan still
/// finds its operand in the second-level cache (decision 016).
inline constexpr std::int64_t kChunkItems = 32768;
/// Items of a chunk of DIST or INDEX: as many bytes as an elementwise operation writes in a block.
inline constexpr std::int64_t kDistChunkItems = 32768;
/// Items of a chunk of an operation that moves blocks (SLICE, APPEND, merges): as many as of DIST.
inline constexpr std::int64_t kRangeChunkItems = 32768;
/// Items of a chunk of a gather: half of an elementwise block, as each element may cost a cache miss.
inline constexpr std::int64_t kGatherChunkItems = 16384;
/// Items of a chunk of a scatter, as many as of a gather; also the elements of a block in the pass that writes the
/// elements of the last writers.
inline constexpr std::int64_t kScatterChunkItems = 16384;
/// Segments of a block of EXTRACT or REPLACE, which may cost a cache miss for each segment.
inline constexpr std::int64_t kExtractBlock = 16384;
/// Items of a chunk of a pack: many compared with the search for the chunk's segments, few enough that its flags as
/// bits (4 KiB) stay in the first-level cache.
inline constexpr std::int64_t kPackChunkItems = 32768;
/// Items of a chunk of COUNT_INTS: many, as each chunk adds its counts to those of its segment.
inline constexpr std::int64_t kCountChunkItems = 131072;
/// COUNT_INTS first counts in four tables of the thread if at most kCountedInTables different numbers can occur: with
/// 64 bits each the tables take 32 KiB. At least kElementsForTables elements per number repay clearing and adding up
/// the tables.
inline constexpr std::int64_t kCountedInTables = 1023, kElementsForTables = 4;
/// Least items of the share of a thread in a combining permutation.
inline constexpr std::int64_t kAccumulateShare = 16384;
/// Largest mean segment of a result, in bytes, into which one thread combines elements in their order, unless there are
/// kSharesForParts shares. Random places of a larger one miss cache and TLB: an element takes 25 to 40 ns, and 11 ns if
/// elements are first moved to parts of the result. Into a smaller one it takes 3 ns, and 8 by parts, divided by the
/// threads.
inline constexpr std::int64_t kInOrderBytes = 4 << 20;
inline constexpr std::int64_t kSharesForParts = 4;
/// Combining permutations divide the places of their result into at most 2^kPartBits parts.
inline constexpr int kPartBits = 8;
/// Lengths of a block when lengths are summed up or offsets computed: as many bytes as an elementwise operation reads
/// in a block.
inline constexpr std::int64_t kLengthsBlock = 32768;
/// Bytes of a block when memory is copied, cleared, or searched for targets not written: those of an elementwise block.
inline constexpr std::int64_t kBytesBlock = 256 << 10;
/// First step of a galloping search for the segment in which a chunk ends.
inline constexpr std::int64_t kGallopStep = 8;
/// Polls, some microseconds in all, after which a thread that waits for the carry of the preceding chunk assumes that
/// the system has preempted the other thread, and computes the carry itself. With six other processes on two cores,
/// this took a scan from 5.6 times its peer's time to 0.9 (decision 016).
inline constexpr int kPatience = 4000;
/// Largest result of one segment, in bytes, into which a single thread scatters. Several threads would contend for
/// cache lines: 10^5 elements to random targets take 4.5 ns each with two threads, 1.8 with one (decision 016).
inline constexpr std::int64_t kOneWriterBytes = 1 << 20;
/// Most threads that each read all indices of a scatter with defaults and write only the targets they own. With more
/// threads, reading all indices costs more than recording the last writers.
inline constexpr int kMostOwners = 4;
/// Elements per target and thread from which on threads scatter with defaults, or count more numbers than tables have,
/// into copies of the result. If instead
/// each of two threads reads all elements, 10^7 elements to 1000 random targets take 41 ms; with one thread 7.6.
inline constexpr std::int64_t kElementsForCopies = 4;
/// Distance between the cached sums of target hashes: 8 bytes for 4096 targets (decision 016).
inline constexpr std::int64_t kPositionSumStep = 4096;

}  // namespace cvl::cpu
