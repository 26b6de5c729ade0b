#pragma once

#include "kernels/loop_plan.h"

namespace kernels {

/// Makes the loop of a stage, whose steps are known. The plan's values are classified.
void form_loop(const LoopPlan& plan, Part part, LoopPlan::Stage& stage);

}  // namespace kernels
