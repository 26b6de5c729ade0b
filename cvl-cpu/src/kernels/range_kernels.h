#pragma once

#include "base/chunks.h"
#include "base/index_fault.h"
#include "cvl/backend.h"

namespace cvl::cpu {

/// A segment of the result of a join whose length differs from the number of elements to be stored there; segment -1 if
/// there is none.
struct LengthFault {
  std::int64_t segment = -1;
  std::int64_t found = 0, room = 0;

  bool any() const { return segment >= 0; }
};

/// Loops that move blocks. Chunks are those of the result.
struct RangeKernels {
  using Slice = IndexFault(const void* a, std::int64_t length, const void* starts, const SegmentDescriptor& descriptor,
                           const Chunk& chunk, void* result);
  using Append = LengthFault(const Join<3>& join, const Chunk& chunk, void* result);
  /// Merges a chunk; `chosen` is the number of true flags before the chunk's first segment.
  using Merge = LengthFault(const bool* flags, const Join<2>& join, std::int64_t chosen, const Chunk& chunk,
                            void* result);
  /// Merges elements [begin, end) where each segment is one element; `chosen` is the number of true flags before
  /// `begin`.
  using MergeElements = void(const bool* flags, const Join<2>& join, std::int64_t chosen, std::int64_t begin,
                             std::int64_t end, void* result);
  using CountFlags = std::int64_t(const bool* flags, std::int64_t begin, std::int64_t end);

  static int index_of(ElemType type) {
    const std::size_t size = elem_size(type);
    return size == 1 ? 0 : size == 4 ? 1 : 2;
  }
  Slice& slice_like(ElemType elements, ElemType starts) const {
    return *slice[index_of(elements)][elem_size(starts) == 8];
  }

  /// Indexed by index_of(); slice also by whether starts have 64 bits.
  Slice* slice[3][2] = {};
  Append* append[3] = {};
  Merge* merge[3] = {};
  MergeElements* merge_elements[3] = {};
  CountFlags* count_flags = nullptr;
};

}  // namespace cvl::cpu
