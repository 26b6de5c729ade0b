#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "kernels/loop_plan.h"
#include "vcode_testing.h"

namespace kernels {

/// The plan of the only kernel of a program; the kernel's text is that between KERNEL 0 k and RET.
struct PlannedKernel {
  explicit PlannedKernel(const std::string& kernel, vcode::Widths widths = {})
      : program(vcode::testing::read_good("FCODE 1\nKERNEL 0 k " + kernel + " RET\nFUNC MAIN RET\n")),
        plan(program.kernels[0], vcode::look_at(program.kernels[0]), widths) {
    EXPECT_EQ(verify_plan(plan), "") << kernel;
  }

  KernelVar value(const std::string& name) const {
    const auto& values = plan.kernel.values;
    return static_cast<KernelVar>(std::ranges::find_if(values, [&](const auto& value) { return value.name == name; }) -
                                  values.begin());
  }

  vcode::Program program;
  LoopPlan plan;
};

}  // namespace kernels
