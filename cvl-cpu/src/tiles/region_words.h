#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "cvl/backend.h"
#include "kernels/scan_kernels.h"
#include "llvm/native_code.h"
#include "tiles/tile_plan.h"

namespace cvl::cpu {

// Words of the argument `vectors` of compiled functions: see RegionFunction and SegmentsFunction.

inline const void* number_word(std::int64_t number) {
  return reinterpret_cast<const void*>(static_cast<std::uintptr_t>(number));
}

/// Words of a table. `starts` is null if it has one segment, otherwise the address at which the start of segment 0
/// would be.
std::array<const void*, 4> table_words(const Operand& table, const std::int64_t* starts);

/// Words of a scan; `before` is the accumulation of the preceding elements.
std::array<const void*, 3> scan_words(const TilePlan& plan, const Region::Scan& scan, const ScanKernels& kernels,
                                      const Slot& before, const void* heads);

/// Words of a PACK; `position` is the index in `result` at which the next kept element is written.
inline std::array<const void*, 2> pack_words(const void* result, const std::int64_t& position) {
  return {result, &position};
}

/// Words of a scatter; compiled code adds the hashes of targets to `hashes`.
inline std::array<const void*, 3> scatter_words(const void* result, std::int64_t positions, std::uint64_t& hashes) {
  return {result, number_word(positions), &hashes};
}

/// Sets the words of a SegmentsFunction for generated inputs, segments and range. `starts` is the address at which the
/// start of segment 0 would be.
void set_segment_words(const TilePlan& plan, const Region& region, const KernelCall& call, const void* starts,
                       std::int64_t begin, std::int64_t end, std::span<const void*> words);

}  // namespace cvl::cpu
