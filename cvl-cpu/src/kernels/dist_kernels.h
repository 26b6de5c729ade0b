#pragma once

#include "base/partition.h"
#include "cvl/backend.h"

namespace cvl::cpu {

struct Context;

struct DistKernels {
  using Dist = void(const void* v, const SegmentMap& map, const Piece& piece, void* result, bool stream);
  using Index = void(const void* start, const void* stride, const SegmentMap& map, const Piece& piece, void* result,
                     bool stream);

  Dist* dist[vcode::kElemTypes] = {};
  Index* index[vcode::kElemTypes] = {};
};

void dist(Context& context, Operand v, const SegmentMap& map, Result result);
void index(Context& context, Operand start, Operand stride, const SegmentMap& map, Result result);

}  // namespace cvl::cpu
