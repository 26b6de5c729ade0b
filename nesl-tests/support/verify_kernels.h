#pragma once

#include <string>

#include "kernels/loop_plan.h"
#include "vcode/op.h"
#include "vcode/program.h"

namespace kernels {

/// The first mistake in the plans of a program's kernels, in numbers of any widths; empty if there is none.
inline std::string verify_kernels(const vcode::Program& program) {
  std::string mistake;
  vcode::for_each_widths([&]<vcode::ElemType int_type, vcode::ElemType float_type>() {
    for (const vcode::Kernel& kernel : program.kernels)
      if (mistake.empty()) mistake = verify_plan(LoopPlan(kernel, vcode::look_at(kernel), {int_type, float_type}));
  });
  return mistake;
}

}  // namespace kernels
