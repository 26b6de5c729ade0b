#pragma once

#include <cstddef>
#include <cstdint>

/// Tuning numbers (see README.md in this folder) of fused kernels (decision 017).

namespace cvl::cpu {

/// Elements of a tile: the smallest number, for kernels with many values, and the largest, for kernels with few. All
/// tiles of a thread fit into the first-level cache, and calling a loop costs little beside computing a tile. A
/// reduction of segments of 10 elements after a chain of maps takes 1.64 to 1.83 times the reduction alone with tiles
/// of 2048 elements, 2.1 times with 1024, and no less with 4096.
inline constexpr std::int64_t kSmallestTile = 512, kLargestTile = 2048;
/// Bytes of all tiles of a thread together.
inline constexpr std::int64_t kTileBytes = 32 << 10;
/// Bytes of a chunk's values that a thread keeps while it waits for carries: at most a quarter of a second-level cache.
inline constexpr std::int64_t kKeptBytes = 256 << 10;
/// Operations of a chunk of a loop that several threads compute, and fewest items: some 50 microseconds at 10 of them a
/// nanosecond, several times what waking a thread takes. Chosen by estimate.
inline constexpr std::int64_t kFlopsOfChunk = 500'000, kFewestCostlyItems = 64;
/// Fewest items of a chunk: with fewer, threads mostly wait for carries.
inline constexpr std::int64_t kFewestChunkItems = 4096;
/// Segments of a tile of epilogues (elementwise steps over the results of reductions): 8 KiB of doubles.
inline constexpr std::int64_t kEpilogueTile = 1024;
/// Elements plus segments of a chunk of a kernel that is run step by step: two blocks of floats (see fold_order.h). Two
/// or three buffers then fit into a first-level cache. On an EPYC, twelve programs take 0.93 times as long with it as
/// with half as many elements, and 0.97 times as long as with twice as many (geometric means, one thread, loaded
/// machine).
inline constexpr std::int64_t kStepItems = 2048;
/// Chunks of a compiled loop that a thread computes step by step before it looks whether the loop is there: some 0.1 ms
/// for each cheap step. Threads wait for each other at that time.
inline constexpr std::int64_t kChunksUntilStop = 4;
/// Seconds of the steps of a kernel without code, over all runs and expected of the present one, before its code is
/// looked for in the cache. Reading and relocating a small object took 0.25 to 0.31 ms; the time of writing the
/// assembly, which is the key, was not measured.
inline constexpr double kSecondsUntilSearch = 0.5e-3;
/// The same before the kernel is compiled. The first kernel of a process took 26 ms to compile, later ones 5 to 14 (50
/// vector operations each, on a busy machine; decision 018).
inline constexpr double kSecondsUntilHot = 0.01;
/// Seconds of a single run from which on it waits for the compiler, if it cannot go on with the code: some four times
/// what compiling takes. Chosen by estimate; an overestimated run waits in vain.
inline constexpr double kSecondsWorthWaiting = 0.04;
/// Estimated seconds of an arithmetic operation on an element (vcode::Work) in kernels without code; not fitted to
/// measurements.
inline constexpr double kSecondsOfFlop = 0.3e-9;
/// Estimated seconds of an operation on an element of a long vector, which goes through memory: 73 nanoseconds for the
/// 55 steps of a grid that is indexed, on a busy machine.
inline constexpr double kSecondsOfOperation = 1.3e-9;
/// Most elements of a run whose steps are computed one after the other, without tiles. For so few elements the
/// intermediate results stay in the first-level cache in either case, and setting up tiles takes as long as several
/// operations (decision 017).
inline constexpr std::int64_t kFewElements = 4096;
/// Short calls of a kernel over several segments whose steps are computed one after the other, when a call has had
/// segments that are too short for the nest. Chosen by estimate: setting up tiles for one call in so many costs little.
inline constexpr int kCallsUntilFitting = 32;
/// Estimated seconds of one step of a kernel that runs by itself on a short vector. A step takes 33 ns on 64 doubles
/// and 80 ns on 1000 (decision 018).
inline constexpr double kSecondsOfStep = 50e-9;
/// Average length of segments from which on compiled code runs as a loop nest: an outer loop over
/// segments, an inner one over elements. Compared with a loop over elements, around which segments are spread and
/// folded tile by tile, k-means with ten centres takes 32 ms instead of 56 and queens 7.2 instead of 9.1; with segments
/// of 4 there is no difference (decision 019).
inline constexpr std::int64_t kLongSegment = 8;
/// Average length from which on a loop runs as a nest over segments if it gathers and also reads a SLICE by
/// segments: with short segments, vector gathers fill few lanes. Distances in breadth_first.power_law, mostly rows of 8
/// to 32 elements, take 14 ns an element with this limit and 20 ns with kLongSegment.
inline constexpr std::int64_t kLongSlicedSegment = 32;
/// Average length below which a kernel runs step by step if its loop has no form but the nest, as its tables have
/// segments. Small quicksorts take 0.83, queens 0.86 times as long as with the nest for all lengths; with 5, Barnes-Hut
/// is slower (minima of five to six runs by turns, busy machine).
inline constexpr std::int64_t kTinySegment = 2;
/// Length of the longest segment up to which compiled code computes one segment a lane, which has room on the stack for
/// so many floats of a lane that are added in order. If the segments of a group differ in length, lanes wait for the
/// longest.
inline constexpr std::int64_t kLongestInLane = 32;
/// Rows and columns of a product (Loop::Form::kProduct) that are computed together. A sum of floats has four
/// accumulators (fold_order.h), so that those of six segments take 24 of the 32 vector registers that processors with
/// registers of 64 bytes have; with fewer or shorter ones, the accumulators would be in memory.
inline constexpr int kProductRows = 2, kProductColumns = 3;
inline constexpr int kProductRegisterBytes = 64;
/// Length of segments from which on they may be computed as a product: shorter ones fit into lanes.
inline constexpr std::int64_t kProductSegment = 32;
/// Bytes of the rows of a product that are computed for all columns before other rows are: a part of a second-level
/// cache.
inline constexpr std::int64_t kProductBytes = 256 << 10;
/// Size of registers from which on doubles are divided by multiplying with the reciprocal of a divisor that does not
/// change: four multiplications and a test of the dividends, some 4 cycles, instead of 16 for eight doubles on a Xeon
/// with AVX-512. Smaller registers were not tried.
inline constexpr int kReciprocalRegisterBytes = 64;
/// Bytes on the stack for the bookkeeping of a run. Programs make many short runs, which then do not allocate.
inline constexpr std::size_t kRunBytes = 8192;
/// Rounds after which a repeated kernel leaves the rest of a loop to the program, which looks for interrupts: a chunk
/// of elements takes some milliseconds for them.
inline constexpr int kMostRounds = 1024;
/// Vectors that a repeated kernel computes by turns, at most, and the registers that their values may take. Of 1, 2 and
/// 4 vectors, remainders by a constant take 370, 245 and 222 ms, binary searches 630, 320 and 270, steps to 1 by
/// Collatz's rule 230, 150 and 123; the Mandelbrot set, with 9 registers a vector, takes 320, 280 and 340.
inline constexpr int kMostTogether = 4, kRegistersTogether = 20;
/// Rounds of a repeated kernel that are expected, when its code is ordered.
inline constexpr int kExpectedRounds = 8;

}  // namespace cvl::cpu
