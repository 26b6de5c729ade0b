#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "cvl/backend.h"
#include "kernels/scan_kernels.h"
#include "llvm/native_code.h"
#include "tiles/tile_plan.h"

namespace cvl::cpu {

// Words that code of regions is handed: see RegionFunction and CompiledRegion.

inline const void* number_word(std::int64_t number) {
  return reinterpret_cast<const void*>(static_cast<std::uintptr_t>(number));
}

/// What is said of a table; `starts`, if it has several segments: as if segment 0 were its first element, else null.
std::array<const void*, 4> table_words(const Operand& table, const std::int64_t* starts);

/// What is said of a scan; `before` is the accumulation that it begins from.
std::array<const void*, 3> scan_words(const TilePlan& plan, const Region::Scan& scan, const ScanKernels& kernels,
                                      const Slot& before, const void* heads);

/// What is said of a PACK; `place` is where the next kept element is written.
inline std::array<const void*, 2> pack_words(const void* result, const std::int64_t& place) { return {result, &place}; }

/// What is said of a scatter; `hashes` is the sum that code adds to.
inline std::array<const void*, 3> scatter_words(const void* result, std::int64_t places, std::uint64_t& hashes) {
  return {result, number_word(places), &hashes};
}

/// Sets what tells code by segments of inputs that are made from an element for each segment; behind that, of segments
/// and of the range. `starts`: as if segment 0 were its first element.
void set_segment_words(const TilePlan& plan, const Region& region, const KernelCall& call, const void* starts,
                       std::int64_t begin, std::int64_t end, std::span<const void*> words);

}  // namespace cvl::cpu
