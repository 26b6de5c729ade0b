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
  /// The kernel must be well-formed and outlive the object. `constants` are the constants of the program as values.
  /// `placement`: see Backend::plan_kernel().
  PreparedKernel(const vcode::Kernel& kernel, std::span<const Value> constants, Backend& device, vcode::Widths widths,
                 std::string_view placement = "");
  /// The kernel for a worker of the backend, sharing facts and plan with `other`; `constants` are values of the worker.
  PreparedKernel(const PreparedKernel& other, std::span<const Value> constants, vcode::Widths widths);
  PreparedKernel(PreparedKernel&&) noexcept;
  ~PreparedKernel();

  const vcode::Kernel& kernel() const { return kernel_; }
  const vcode::KernelFacts& facts() const { return *facts_; }
  /// The constants among the kernel's values; kNone for the others.
  const Value& constant(vcode::KernelVar v) const { return constants_[v]; }
  const StepCode& step_code() const { return step_code_; }
  /// The plan of the backend; null if the backend does not run this kernel.
  KernelPlan* plan() const { return plan_.get(); }
  /// Runs the plan; plan() must not be null.
  KernelRun& run() const { return *run_; }
  /// Whether host and backend compute the same results, to the last bit.
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
