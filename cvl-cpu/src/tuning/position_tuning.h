#pragma once

#include <cstdint>

/// Tuning numbers (see README.md in this folder) of loops that compute addresses: gathers, scatters and packs of many
/// segments.

namespace cvl::cpu {

/// Elements whose addresses are computed before any of the elements is moved. A permute of 10^6 i32 to random targets
/// takes 1.18 times its peer's time with 128 elements and 1.29 with 256: with more elements, the computation overlaps
/// less with the stores (decision 016).
inline constexpr std::int64_t kPositions = 128;
/// Average length, over the elements computed together, below which segments count as "tiny": their starts and lengths
/// are spread by running maxima instead of a loop over segments (decision 016).
inline constexpr std::int64_t kTinySegment = 4;
/// Bytes of the segment from which a gather reads, if it is one: gather instructions are used from kGatherNearBytes on
/// and below kGatherFarBytes. For smaller segments, single loads are faster on processors that gather by
/// micro-operations: gathers from segments of 1000 take 1.1 times their peer's time instead of 1.5 on an EPYC. For
/// larger ones, single loads have more misses in flight (decision 016).
inline constexpr std::int64_t kGatherNearBytes = std::int64_t{256} << 10, kGatherFarBytes = std::int64_t{16} << 20;

}  // namespace cvl::cpu
