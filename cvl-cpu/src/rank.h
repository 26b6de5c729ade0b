#pragma once

#include "cvl/backend.h"

namespace cvl::cpu {

struct Context;

struct RankKernels {};

void rank(Context& context, bool descending, Operand a, const SegmentMap& map, Result result);

}  // namespace cvl::cpu
