#pragma once

#include <set>
#include <span>
#include <string>

#include "kernels/loop.h"
#include "lanes/llvm_text.h"
#include "vcode/kernel.h"

namespace cvl::cpu {

/// A module in LLVM assembly with functions that compute loops.
class LoopModule {
 public:
  /// `can_unwind`: whether debuggers can find the callers of the functions.
  explicit LoopModule(const NativeTarget& target, bool can_unwind = false) : target_(target), can_unwind_(can_unwind) {}

  /// Adds a LoopFunction (llvm/native_code.h) of this name, which may be any text, for a form that the loop has.
  /// `types` has the storage type of every value of the kernel.
  ///
  /// A flat loop and the inner loop of a nest compute as many elements at a time as a register holds of the narrowest
  /// numbers in the loop; a wider type takes two registers. If floats are folded or scanned, they compute as many as a
  /// cache line holds of the narrowest numbers, and elements are grouped as in cvl/fold_order.h. The remaining elements
  /// are computed with masked loads and stores; lanes beyond the end compute with ones.
  void add(const std::string& name, const vcode::Kernel& kernel, const Loop& loop, std::span<const ElemType> types,
           Loop::Form form);
  std::string text() const;

 private:
  const NativeTarget& target_;
  bool can_unwind_;
  std::string functions_;
  std::set<std::string> declarations_;
};

}  // namespace cvl::cpu
