#pragma once

#include <cstdint>
#include <vector>

#include "vcode/kernel.h"

namespace runtime {

/// The steps of a kernel as they are applied one after the other, without anything else: a program with short vectors
/// runs many kernels before it comes back to the first, and what it reads of each must be little.
class StepCode {
 public:
  explicit StepCode(const vcode::Kernel& kernel);

  /// A step that applies an operation. Its results are consecutive values.
  struct Step {
    vcode::Op op;
    vcode::Suffix suffix;
    std::uint8_t operands, results;
    vcode::KernelVar first_result;
    std::uint32_t number;  ///< in the kernel
  };
  /// What a step takes as an operand, or the kernel leaves as a result.
  struct Operand {
    std::uint32_t last : 1;  ///< nobody reads the value afterwards, so that its memory may be used again
    vcode::KernelVar value : 31;
  };

  const std::vector<Step>& steps() const { return steps_; }
  /// Of each step in turn; then the results of the kernel.
  const Operand* operands() const { return operands_.data(); }
  /// The values that are left when all this has been read: those that nobody reads, and the descriptors among the
  /// inputs, which tell where a fault is as long as they are there.
  const std::vector<vcode::KernelVar>& left() const { return left_; }
  /// The values that are constants.
  const std::vector<vcode::KernelVar>& constants() const { return constants_; }

  std::uint32_t inputs() const { return inputs_; }
  std::uint32_t outputs() const { return outputs_; }
  std::uint32_t values() const { return values_; }
  /// The input that has as many elements as the index space.
  vcode::KernelVar over() const { return over_; }

 private:
  std::vector<Step> steps_;
  std::vector<Operand> operands_;
  std::vector<vcode::KernelVar> left_, constants_;
  std::uint32_t inputs_, outputs_, values_, over_;
};

}  // namespace runtime
