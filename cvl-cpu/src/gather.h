#pragma once

#include "cvl/backend.h"

namespace cvl::cpu {

struct Context;

struct GatherKernels {};

void gather(Context& context, const Gather& gather, Result result);
void extract(Context& context, Operand a, Operand i, const SegmentMap& map, Result result);
void replace(Context& context, Operand a, Operand i, Operand v, const SegmentMap& map, Result result);

}  // namespace cvl::cpu
