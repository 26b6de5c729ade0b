#pragma once

#include "kernels/loop_plan.h"
#include "plan_mistake.h"

namespace kernels {

/// Verifies the loop of a stage. The plan's values and the steps of its stages have been verified.
void verify_loop(const LoopPlan& plan, Part part, PlanMistake& mistake);

/// Verifies the members of a loop's argument.
void verify_arguments(const Loop& loop, PlanMistake& mistake);

/// Verifies the interior of a loop, the rest of which has been verified: derives again what its bounds imply.
void verify_interior(const LoopPlan& plan, const Loop& loop, PlanMistake& mistake);

}  // namespace kernels
