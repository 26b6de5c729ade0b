#pragma once

#include <cstdint>

/// Tuning numbers (see README.md in this folder) of the loops of one instruction set: elementwise operations, scans,
/// reductions, copies of blocks.

namespace cvl::cpu {

/// Arg-reductions of at least kFewForExtreme elements first fold kExtremeBlock elements at a time and then search the
/// best block for the index of the best element. A vector pays off for more than
/// kFewestForExtreme elements: an arg-reduction of two million segments of one to five doubles took 25 ms of processor
/// time, and 17 ms since the shortest are compared one by one.
inline constexpr std::int64_t kFewestForExtreme = 4, kFewForExtreme = 32, kExtremeBlock = 2048;
/// Largest block in bytes that an inlined loop moves; longer blocks are moved by memcpy. Other limits were not tried.
inline constexpr std::int64_t kShortBlockBytes = 256;
/// Bytes of the widest operand per strip of an elementwise operation whose result is streamed or may have faults. The
/// strip is computed into the first-level cache before it is written. With small strips, loads and streamed stores
/// alternate: adding 10^7 doubles takes 1.46 times a peer's time with 8 KiB and 1.00 with 512 bytes (decision 015).
inline constexpr std::int64_t kElementwiseBufferBytes = 512;
/// Bytes that DIST and INDEX compute into the first-level cache before streaming them: a buffer is filled while the
/// stores of the last one drain. The buffer must exceed the store buffers of a processor, or its loads wait for them.
inline constexpr std::int64_t kDistBufferBytes = 8192;
/// Remaining bytes of a segment from which on DIST and INDEX stream it from registers, without a buffer.
inline constexpr std::int64_t kDistLongBytes = 512;
/// Elements whose head flags a scan computes at a time, a byte each; a multiple of 64. The flags stay in the
/// first-level cache.
inline constexpr std::int64_t kMarkedAtOnce = 4096;
/// Segments whose lengths a reduction computes before it folds any of them. A length is then broadcast to a register by
/// one load from memory; a broadcast from another register takes several shuffles (decision 016).
inline constexpr int kReduceSegments = 128;
/// Flags that a reduction makes bits of words at a time, a multiple of 64: some KiB, which stay in the first-level
/// cache.
inline constexpr std::int64_t kFlagsAtOnce = 4096;
/// Counters of a random sequence that are computed together: their words, four of each, fit into 1 KiB.
inline constexpr int kRandomCounters = 64;

}  // namespace cvl::cpu
