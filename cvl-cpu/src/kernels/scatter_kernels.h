#pragma once

#include <algorithm>
#include <cstdint>

#include "base/chunks.h"
#include "base/index_fault.h"
#include "base/position_sums.h"
#include "cvl/backend.h"

namespace cvl::cpu {

/// Addresses and segmentations of a scatter.
struct ScatterJob {
  const void* source;
  const void* indices;
  const bool* flags;  ///< null: all elements are written
  SegmentDescriptor from, to;
  void* result;
  std::uint8_t* marks = nullptr;  ///< a byte for each target, set to 1 where an element is written
  std::int64_t own_begin = 0;     ///< targets [own_begin, own_end) belong to the caller
  std::int64_t own_end = 0;
  void* writers = nullptr;  ///< for each target, 1 + the number of the last element written there, or 0; of 32 or 64
                            ///< bits (needs_wide_positions)
};

struct ScatterOutcome {
  IndexFault fault;
  std::uint64_t fingerprint = 0;  ///< sum of the hashes of the targets written
  std::int64_t written = 0;       ///< number of elements written
};

/// Treatment of several elements with one target.
enum class ScatterMode : std::uint8_t {
  kPermutation,  ///< each target should be written once; computes the fingerprint, which tells whether it was
  kMarked,       ///< sets marks[t] for each target t written
  kOwned,        ///< writes only the caller's targets, in the order of elements: the last one wins
  kLastWriter,   ///< writes no elements, only records the last writer of each target
};
inline constexpr int kScatterModes = 4;

struct ScatterKernels {
  using Run = ScatterOutcome(const ScatterJob& job, const Chunk& chunk);
  /// Indexed by mode, element size (1, 4, 8 bytes), whether indices have 64 bits, whether targets need 64 bits.
  Run* run[kScatterModes][3][2][2] = {};
  Run* at(ScatterMode mode, ElemType elements, ElemType indices, bool wide) const {
    return run[static_cast<int>(mode)][size_index(elements)][elem_size(indices) == 8][wide];
  }
  static int size_index(ElemType type) { return elem_size(type) == 1 ? 0 : elem_size(type) == 4 ? 1 : 2; }
  /// result[p] = writers[p] ? source[writers[p] - 1] : result[p] for p in [begin, end). Indexed by element size and
  /// whether targets need 64 bits.
  using Resolve = void(const ScatterJob& job, std::int64_t begin, std::int64_t end);
  Resolve* resolve[3][2] = {};
  PositionSums::Sum* sum_positions[2] = {};  ///< indexed by whether targets need 64 bits
};

/// Whether numbers of elements or targets need more than 32 bits.
inline bool needs_wide_positions(const SegmentDescriptor& from, const SegmentDescriptor& to) {
  return (std::max(from.elements, to.elements) + 1) >> 32 != 0;
}

}  // namespace cvl::cpu
