#pragma once

#include <cstdint>
#include <vector>

#include "vcode/kernel.h"

namespace runtime {

/// The steps of a kernel in a compact form for running the kernel step by step. A program with short vectors runs many
/// different kernels in turn, so each kernel should occupy few cache lines.
class StepCode {
 public:
  explicit StepCode(const vcode::Kernel& kernel);

  /// A step that applies an operation. Its results are consecutive values.
  struct CodedStep {
    vcode::Op op;
    vcode::Suffix suffix;
    std::uint8_t operands, results;
    vcode::KernelVar first_result;
    std::uint32_t number;  ///< of the step in the kernel
  };
  /// An operand of a step, or a result of the kernel.
  struct Operand {
    std::uint32_t last : 1;  ///< last use of the value: its storage may be reused
    vcode::KernelVar value : 31;
  };

  const std::vector<CodedStep>& steps() const { return steps_; }
  /// The operands of each step in turn, then the results of the kernel.
  const Operand* operands() const { return operands_.data(); }
  /// The values to release after the last step: those without uses, and the input descriptors, which are kept to locate
  /// faults.
  const std::vector<vcode::KernelVar>& left() const { return left_; }
  /// The values that are constants.
  const std::vector<vcode::KernelVar>& constants() const { return constants_; }

  std::uint32_t inputs() const { return inputs_; }
  std::uint32_t outputs() const { return outputs_; }
  std::uint32_t values() const { return values_; }
  /// The OVER input, which has as many elements as the index space.
  vcode::KernelVar over() const { return over_; }

 private:
  std::vector<CodedStep> steps_;
  std::vector<Operand> operands_;
  std::vector<vcode::KernelVar> left_, constants_;
  std::uint32_t inputs_, outputs_, values_, over_;
};

}  // namespace runtime
