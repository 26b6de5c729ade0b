#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/step_code.h"
#include "runtime/value.h"
#include "vcode/kernel.h"

namespace runtime {

class KernelRun;

/// A kernel ready to be run any number of times (see Evaluator::run_kernel).
class PreparedKernel {
 public:
  /// The kernel, which must be well-formed, outlives this; `constants` are the program's, as values; `place` is as in
  /// Backend::plan_kernel().
  PreparedKernel(const vcode::Kernel& kernel, std::span<const Value> constants, Backend& device, vcode::Widths widths,
                 std::string_view place = "");
  /// The same kernel, with what has been prepared for it, for a lane of the backend; `constants` are values of the
  /// lane.
  PreparedKernel(const PreparedKernel& other, std::span<const Value> constants, vcode::Widths widths);
  PreparedKernel(PreparedKernel&&) noexcept;
  ~PreparedKernel();

  const vcode::Kernel& kernel() const { return kernel_; }
  const vcode::KernelFacts& facts() const { return *facts_; }
  /// The constants among the kernel's values; kNone for the others.
  const Value& constant(vcode::KernelVar v) const { return constants_[v]; }
  const StepCode& step_code() const { return step_code_; }
  /// What the backend has prepared; null if it does not run this kernel.
  KernelPlan* plan() const { return plan_.get(); }
  /// What runs the plan. There must be one.
  KernelRun& run() const { return *run_; }
  /// Whether results are the same to the last bit whoever computes them: the host, for short vectors, or the backend.
  bool is_exact() const { return is_exact_; }

 private:
  void take_constants(std::span<const Value> constants);

  // Members read by every run come first, for fewer cache lines.
  StepCode step_code_;
  const vcode::Kernel& kernel_;
  std::shared_ptr<const vcode::KernelFacts> facts_;
  std::shared_ptr<KernelPlan> plan_;  ///< destroyed before the facts, which it reads
  bool is_exact_;
  std::vector<Value> constants_;
  std::unique_ptr<KernelRun> run_;  ///< null without a plan
};

}  // namespace runtime
