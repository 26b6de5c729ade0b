#pragma once

#include <cstdint>

/// Tuning numbers (README.md beside this): loops that compute places: gathers, scatters and packs of many segments.

namespace cvl::cpu {

/// Elements whose places are computed before any of them is moved. A permute of 10^6 i32 at random takes 1.18 times its
/// peer's time, with 256 elements 1.29: the computation then overlaps less with the stores (decision 016).
inline constexpr std::int64_t kPlaces = 128;
/// Fewer elements per segment than this, on average over a chunk of places, make the segments "tiny": their starts and
/// lengths are spread by running maxima instead of a loop over segments (decision 016).
inline constexpr std::int64_t kTinySegment = 4;
/// A gather from one segment uses gather instructions if the segment has at least the first and less than the second
/// number of bytes. Below, single loads are faster on processors that gather by micro-operations: gathers from segments
/// of 1000 take 1.1 times their peer's time instead of 1.5 on an EPYC. Above, single loads have more misses in flight
/// (decision 016).
inline constexpr std::int64_t kGatherNearBytes = std::int64_t{256} << 10, kGatherFarBytes = std::int64_t{16} << 20;

}  // namespace cvl::cpu
