#include "kernels/loop_plan.h"

#include <gtest/gtest.h>

namespace kernels {
namespace {

TEST(LoopPlan, Placeholder) {}

}  // namespace
}  // namespace kernels
