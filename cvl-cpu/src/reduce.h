#pragma once

#include "cvl/backend.h"

namespace cvl::cpu {

struct Context;

struct ReduceKernels {};

void reduce(Context& context, Monoid monoid, Operand a, const SegmentMap& map, Result result);

}  // namespace cvl::cpu
