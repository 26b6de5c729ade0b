#pragma once

#include <memory>

#include "cvl/backend.h"

namespace cvl::cpu {

struct Context;

struct PackKernels {};

std::unique_ptr<PackPlan> plan_pack(Context& context, Operand flags, const SegmentMap& map, Result lengths);
void pack(Context& context, const PackPlan& plan, Operand a, Operand flags, Result result);

}  // namespace cvl::cpu
