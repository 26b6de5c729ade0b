#include <gtest/gtest.h>

#include "kernels/loop_plan.h"
#include "read_text.h"
#include "vcode_testing.h"

namespace kernels {
namespace {

/// plans.txt has kernels, each followed by the text of its plan.
TEST(PlanText, IsThatOfTheFile) {
  const std::string file = read_text(KERNEL_PLANS);
  std::string printed;
  for (std::size_t at = 0; (at = file.find("KERNEL", at)) != file.npos;) {
    const std::size_t end = file.find("RET\n", at) + 4;
    const std::string kernel = file.substr(at, end - at);
    const vcode::Program program = vcode::testing::read_good("FCODE 1\n" + kernel + "FUNC MAIN RET\n");
    const vcode::Kernel& read = program.kernels[0];
    const LoopPlan plan(read, vcode::look_at(read), {});
    EXPECT_EQ(verify_plan(plan), "");
    printed += kernel + to_text(plan) + "\n";
    at = end;
  }
  EXPECT_EQ(printed, file);
}

}  // namespace
}  // namespace kernels
