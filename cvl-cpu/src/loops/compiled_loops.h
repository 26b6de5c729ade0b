#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "kernels/loop_plan.h"
#include "llvm/native_code.h"

namespace cvl::cpu {

using kernels::Loop;
using kernels::LoopPlan;
using kernels::Part;

/// The loop of a part of a kernel in one form: what one function computes.
struct LoopForm {
  Part part;
  Loop::Form form;
};
using LoopForms = std::span<const LoopForm>;

/// Something for each part and form of the loops of a kernel.
template <class T>
class ByLoopForm {
 public:
  T& operator[](LoopForm f) { return all_[number(f)]; }
  const T& operator[](LoopForm f) const { return all_[number(f)]; }
  const std::array<T, 12>& all() const { return all_; }

 private:
  static std::size_t number(LoopForm f) {
    return 4 * static_cast<std::size_t>(f.part) + static_cast<std::size_t>(f.form);
  }
  std::array<T, 12> all_{};
};

/// Compiled loops of a kernel; null where there is none.
using CompiledLoops = ByLoopForm<LoopFunction*>;

}  // namespace cvl::cpu
