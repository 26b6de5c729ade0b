#pragma once

#include <cstdint>

/// Tuning numbers (README.md beside this): sizes of blocks and pieces of the operations, the units that threads take,
/// and when a thread stops waiting for another one.

namespace cvl::cpu {

/// Elements of a block of an elementwise operation: 256 KiB of doubles per vector, so that two operands and a result
/// fit into the second-level cache.
inline constexpr std::int64_t kElementwiseBlock = 32768;
/// Elements of a block of RAND, whose arithmetic takes several times as long as a sum.
inline constexpr std::int64_t kRandomBlock = 16384;
/// Items of a piece of a reduction or a scan, and at most of a kernel's: small enough that the second pass of a scan
/// finds its operand in the second-level cache (decision 016).
inline constexpr std::int64_t kPieceItems = 32768;
/// Items of a piece of DIST or INDEX: as many bytes as an elementwise operation writes in a block.
inline constexpr std::int64_t kDistPieceItems = 32768;
/// Items of a piece of an operation that moves blocks: as of DIST.
inline constexpr std::int64_t kRangePieceItems = 32768;
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

}  // namespace cvl::cpu
