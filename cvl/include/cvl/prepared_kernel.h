#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cvl/value.h"
#include "vcode/kernel_rules.h"

namespace cvl {

/// A kernel ready to be run any number of times (see Evaluator::run_kernel).
class PreparedKernel {
 public:
  /// The kernel, which must be well-formed, outlives this; `constants` are the program's, as values.
  PreparedKernel(const vcode::Kernel& kernel, std::span<const Value> constants, Backend& device, vcode::Widths widths);

  const vcode::Kernel& kernel() const { return kernel_; }
  const vcode::KernelFacts& facts() const { return *facts_; }
  /// The constants among the kernel's values; kNone for the others.
  const Value& constant(vcode::KernelVar v) const { return constants_[v]; }
  bool is_output(vcode::KernelVar v) const { return is_output_[v]; }
  /// Where a step finds an operand, or a result of the kernel is found, when the steps run one after the other.
  struct Read {
    enum class From : std::uint8_t {
      kInput,
      kConstant,
      kValue,
      kLast,  ///< a value that nobody reads afterwards
    };
    From from;
    vcode::KernelVar value;
  };
  /// A step that applies an operation, as needed for that: its results are consecutive values.
  struct Application {
    Op op;
    vcode::Suffix suffix;
    std::uint8_t operands, results;
    vcode::KernelVar first_result;
    std::uint32_t step;
  };
  const std::vector<Application>& applications() const { return applications_; }
  /// What the steps read, one step after the other, constants left out; then what the kernel leaves.
  const std::vector<Read>& reads() const { return reads_; }
  /// Results of steps that nobody reads.
  const std::vector<vcode::KernelVar>& unread() const { return unread_; }
  /// What the backend has prepared; null if it does not run this kernel.
  const KernelPlan* plan() const { return plan_.get(); }

 private:
  const vcode::Kernel& kernel_;
  std::unique_ptr<const vcode::KernelFacts> facts_;
  std::vector<Value> constants_;
  std::vector<bool> is_output_;
  std::vector<Application> applications_;
  std::vector<Read> reads_;
  std::vector<vcode::KernelVar> unread_;
  std::unique_ptr<KernelPlan> plan_;
};

/// The first PACK of a kernel with the same flags and segments as this one: whose count serves both.
std::uint32_t first_pack_like(const vcode::Kernel& kernel, std::uint32_t step);

}  // namespace cvl
