#pragma once

#include <cstddef>
#include <cstdint>

/// Tuning numbers (see README.md in this folder) of non-temporal stores (decision 015) and prefetching.

namespace cvl::cpu {

/// Bytes of a result from which on non-temporal stores write it past the cache. Adding two vectors with two threads of
/// a Xeon runs at 75 to 83 GB/s instead of 60 for 4 MB and more, but at 111 instead of 127 to 150 for 1 MB.
inline constexpr std::int64_t kStreamBytes = 2 << 20;
/// The same on AMD's processors, whose third-level cache keeps what the next operation reads. Filling 8 MB with one
/// thread of an EPYC takes 0.116 ns an element with ordinary stores, and 0.30 with non-temporal ones; programs whose
/// results have 4 or 8 MB take 0.58 (division), 0.76 to 0.95 (stencil_if) and 1.0 (slices, moving_averages) times as
/// long with it as with 2 MiB (minima of eight runs by turns, busy machine).
inline constexpr std::int64_t kStreamBytesAmd = 8 << 20;
/// Distance in bytes at which scans and reductions of short segments prefetch operands from memory. A scan of 10^7 i32
/// with one thread takes 0.50 ns an element instead of 0.64 on a Xeon; on an EPYC there is no difference (decision
/// 016). Gathers prefetch indices at the same distance (decision 018).
inline constexpr std::ptrdiff_t kAheadBytes = 4096;
/// Distance in bytes at which compiled loops with gathers or scans prefetch their inputs into the second-level cache
/// (decision 018).
inline constexpr std::ptrdiff_t kLoopAheadBytes = 8192;
/// Compiled loops prefetch the elements that gathers read kFarElements elements later, if the table has at least
/// kFarTableBytes. Smaller tables are mostly in a cache, where prefetching costs more than it saves (decision 018).
inline constexpr std::int64_t kFarElements = 64, kFarTableBytes = std::int64_t{2} << 20;

}  // namespace cvl::cpu
