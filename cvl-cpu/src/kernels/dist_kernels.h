#pragma once

#include "base/chunks.h"
#include "cvl/backend.h"

namespace cvl::cpu {

struct DistKernels {
  /// Fills the elements of a chunk; with `stream`, by non-temporal stores.
  using Dist = void(const void* v, const SegmentDescriptor& descriptor, const Chunk& chunk, void* result, bool stream);
  using Index = void(const void* start, const void* stride, const SegmentDescriptor& descriptor, const Chunk& chunk,
                     void* result, bool stream);

  Dist* dist[vcode::kElemTypes] = {};
  Index* index[vcode::kElemTypes] = {};
};

}  // namespace cvl::cpu
