#pragma once

#include <cstdint>
#include <vector>

#include "runtime/value.h"
#include "vcode/kernel_rules.h"

namespace runtime {

/// The lengths of a kernel's values, derived from the lengths of its inputs before a run. Lengths that the signatures
/// of the steps require to be equal form one class.
class KernelShapes {
 public:
  KernelShapes(const vcode::Kernel& kernel, const vcode::KernelFacts& facts);

  /// Reads the lengths of the inputs. False if a kind or a length does not match the signatures.
  bool bind(const Value* inputs);
  /// Elements of a vector or a descriptor; -1 if unknown before the run.
  std::int64_t length(vcode::KernelVar v) const { return lengths_[classes_[v].length]; }
  /// Segments of a descriptor; -1 if unknown before the run.
  std::int64_t segments(vcode::KernelVar v) const { return lengths_[classes_[v].segments]; }

 private:
  struct Classes {
    std::uint32_t length = 0, segments = 0;
  };
  const vcode::Kernel& kernel_;
  std::vector<Classes> classes_;       ///< of each value; class 0 has length 1
  std::vector<std::int64_t> lengths_;  ///< of each class; -1 for a class without an input
};

}  // namespace runtime
