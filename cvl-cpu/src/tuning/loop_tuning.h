#pragma once

#include <cstdint>

/// Tuning numbers (README.md beside this): the loops of one instruction set: elementwise operations, scans, reductions,
/// copies of blocks.

namespace cvl::cpu {

/// From so many elements on, arg-reductions fold first, and then look for the place; so many at a time.
inline constexpr std::int64_t kFewForExtreme = 32, kExtremeBlock = 2048;
/// Blocks of up to so many bytes are moved by an inlined loop, longer ones by a call of memcpy. Other limits were not
/// tried.
inline constexpr std::int64_t kShortBlockBytes = 256;
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
/// Elements whose head flags a scan makes at a time, a byte each; a multiple of 64. They stay in the first-level cache.
inline constexpr std::int64_t kScanChunk = 4096;
/// Segments whose lengths a reduction computes before it folds any of them. The lengths are then read from memory,
/// where one load broadcasts a length to a register; from a register that takes several shuffles (decision 016).
inline constexpr int kReduceSegments = 128;
/// Counters of a random sequence that are computed together: the four words of each fit into 1 KiB.
inline constexpr int kRandomCounters = 64;

}  // namespace cvl::cpu
