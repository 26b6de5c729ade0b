#pragma once

#include "base/chunks.h"
#include "base/index_fault.h"
#include "cvl/backend.h"

namespace cvl::cpu {

struct GatherKernels {
  /// Gathers the elements of a chunk of `to`. `flags` may be null. Returns the first index out of range.
  using Gather = IndexFault(const void* source, const void* indices, const bool* flags, const SegmentDescriptor& from,
                            const SegmentDescriptor& to, const Chunk& chunk, void* result);
  /// Computes EXTRACT for segments [begin, end).
  using Extract = IndexFault(const void* a, const void* indices, const SegmentDescriptor& descriptor,
                             std::int64_t begin, std::int64_t end, void* result);
  using Replace = IndexFault(void* a, const void* indices, const void* values, const SegmentDescriptor& descriptor,
                             std::int64_t begin, std::int64_t end);

  /// Indexed by storage of the elements and of the indices.
  Gather* gather[vcode::kElemTypes][vcode::kElemTypes] = {};
  Extract* extract[vcode::kElemTypes][vcode::kElemTypes] = {};
  Replace* replace[vcode::kElemTypes][vcode::kElemTypes] = {};
};

}  // namespace cvl::cpu
