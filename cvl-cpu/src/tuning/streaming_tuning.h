#pragma once

#include <cstddef>
#include <cstdint>

/// Tuning numbers (see README.md in this folder) of non-temporal stores (decision 015) and prefetching.

namespace cvl::cpu {

/// Bytes of a result from which on non-temporal stores write it past the cache: this share of the third-level cache,
/// within these bounds, as other machines may share that cache. Results that fit the cache are read from it by the next
/// operation (decision 015, which has the measurements).
inline constexpr std::int64_t kStreamShare = 4, kStreamBytesMin = 2 << 20, kStreamBytesMax = 32 << 20;
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
