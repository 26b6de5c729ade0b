#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "vcode/op.h"

namespace vcode {

/// A value of a kernel: index into Kernel::values.
using KernelVar = std::uint32_t;

/// A superoperator: several instructions of VCODE that traverse one index space together, element by element, so that
/// intermediate results are never vectors in memory. A kernel is straight-line let-form. Its steps may always be run
/// one after the other instead, with the same results, only slower.
///
/// The index space is that of the `over` input: the elements of a descriptor or of a vector. Each step either
/// - computes a value for each element: an elementwise operation, DIST, INDEX, a scan, or a gather (BPERMUTE,
/// BFPERMUTE)
///   from any element of an input;
/// - or consumes such values: a reduction, PACK, the permutes that scatter;
/// - or is elementwise over the segments of a descriptor: on results of reductions and on inputs (an epilogue).
/// Several descriptors may divide the one index space into segments. The operands of each kind of step are in
/// kernel_rules.h.
///
/// The steps of a loop, of which each element takes as many as it needs, make a repeated kernel: its first results are
/// the next values of its first inputs, and the last result, a BOOL for each element, is true where the loop may go on.
/// Once it is false the next values of an element are its values. Whoever runs the kernel may compute the steps again,
/// with the first results in place of the first inputs, for any of the elements that go on, as often as it likes: the
/// program computes whatever is left.
struct Kernel {
  struct ValueInfo {
    std::string name;
    Kind kind = Kind::kInt;
    friend bool operator==(const ValueInfo&, const ValueInfo&) = default;
  };
  static constexpr std::uint32_t kNoConstant = UINT32_MAX;
  /// results = OP SUFFIX operands, or result = CONST.
  struct Step {
    Op op = Op::kExit;
    Suffix suffix = Suffix::kNone;
    std::uint32_t constant = kNoConstant;  ///< index into Program::constants, of a scalar; `op` is then unused
    std::vector<KernelVar> operands = {};  ///< as in the operation's signature, deepest first
    std::vector<KernelVar> results = {};
    /// Index into Program::sites. Distances in its nest count from the top of the stack before the FUSED instruction.
    std::uint32_t site = UINT32_MAX;
    base::Span span = {};
    bool is_constant() const { return constant != kNoConstant; }
  };

  std::int64_t number = 0;  ///< the number in FUSED instructions
  std::string name;
  std::vector<ValueInfo> values;  ///< the inputs, deepest first, then the results of the steps, in order
  std::uint32_t input_count = 0;
  KernelVar over = 0;          ///< an input: a descriptor, or a vector read element by element
  std::uint32_t repeated = 0;  ///< number of values of a loop: inputs, and results before the last one; 0: no loop
  std::vector<Step> steps;
  std::vector<KernelVar> outputs;  ///< the values that FUSED leaves in place of the inputs, deepest first
  base::Span span = {};            ///< span of the word KERNEL
};

}  // namespace vcode
