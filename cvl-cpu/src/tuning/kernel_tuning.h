#pragma once

#include <cstddef>
#include <cstdint>

/// Tuning numbers (README.md beside this): kernels (decision 017).

namespace cvl::cpu {

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

}  // namespace cvl::cpu
