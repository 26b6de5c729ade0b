#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "fcode-opt/letform.h"

namespace vcode::letform {

/// Maximal depth of nested IFs in a function: passes walk through blocks recursively.
inline constexpr std::uint32_t kDeepestIf = 300;

/// Calls visit(binding) for every binding of a block and of the blocks inside, outer bindings first.
template <class AnyBlock, class Visit>
void for_each_binding(AnyBlock& block, Visit&& visit) {
  for (auto& binding : block.bindings) {
    visit(binding);
    for (auto& inner : binding.blocks) for_each_binding(inner, visit);
  }
}

/// Whether a binding reads the clock, so that computations before and after it must stay there.
inline bool reads_clock(const Binding& binding) {
  return binding.form == Binding::Form::kOp && info(binding.op).reads_clock();
}

/// Number of bindings of a function, including those in its blocks; with or without constants.
inline std::size_t count_bindings(const Function& function, bool constants = true) {
  std::size_t count = 0;
  for_each_binding(function.body,
                   [&](const Binding& binding) { count += constants || binding.form != Binding::Form::kConst; });
  return count;
}

/// Adds the nest of a step to the nest of its kernel.
inline void include_nest(Binding& kernel, const Binding& step) {
  for (Var v : step.nest)
    if (std::find(kernel.nest.begin(), kernel.nest.end(), v) == kernel.nest.end()) kernel.nest.push_back(v);
}

/// Calls rename(values) for the operands and the nest of a binding and, for a kernel, of its steps, which name the
/// kernel's operands. Then merges operands of a kernel that have become one value, but for those of a loop.
template <class Rename>
void rename_uses(Binding& binding, Rename&& rename) {
  rename(binding.operands);
  rename(binding.nest);
  if (binding.form != Binding::Form::kFused) return;
  for (Binding& step : binding.blocks[0].bindings) rename_uses(step, rename);
  const Var over = binding.operands[binding.target];
  const auto loop_values = static_cast<std::ptrdiff_t>(binding.state.size());
  std::vector<Var> distinct(binding.operands.begin(), binding.operands.begin() + loop_values);
  const auto find = [&](Var v) { return std::find(distinct.begin() + loop_values, distinct.end(), v); };
  for (auto v = binding.operands.begin() + loop_values; v != binding.operands.end(); ++v)
    if (find(*v) == distinct.end()) distinct.push_back(*v);
  if (binding.target >= binding.state.size())
    binding.target = static_cast<std::uint32_t>(find(over) - distinct.begin());
  binding.operands = std::move(distinct);
}

}  // namespace vcode::letform
