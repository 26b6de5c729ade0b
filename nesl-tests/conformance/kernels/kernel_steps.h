#pragma once

#include <string>
#include <utility>
#include <vector>

#include "vcode/kernel.h"

namespace cvl::conformance {

/// Adds a step with a result of this name and kind, which is an output if it `leaves` the kernel.
inline vcode::KernelVar add_step(vcode::Kernel& kernel, std::string name, vcode::Kind kind, vcode::Op op,
                                 vcode::Suffix suffix, std::vector<vcode::KernelVar> operands, bool leaves) {
  const auto result = static_cast<vcode::KernelVar>(kernel.values.size());
  kernel.values.push_back({std::move(name), kind});
  kernel.steps.push_back({.op = op, .suffix = suffix, .operands = std::move(operands), .results = {result}});
  if (leaves) kernel.outputs.push_back(result);
  return result;
}

}  // namespace cvl::conformance
