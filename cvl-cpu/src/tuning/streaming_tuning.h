#pragma once

#include <cstddef>
#include <cstdint>

/// Tuning numbers (README.md beside this): non-temporal stores (decision 015) and prefetching.

namespace cvl::cpu {

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

}  // namespace cvl::cpu
