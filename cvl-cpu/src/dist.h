#pragma once

#include "cvl/backend.h"

namespace cvl::cpu {

struct Context;

struct DistKernels {};

void dist(Context& context, Operand v, const SegmentMap& map, Result result);
void index(Context& context, Operand start, Operand stride, const SegmentMap& map, Result result);
void make_segment_ids(Context& context, const SegmentMap& map, Result result);

}  // namespace cvl::cpu
