#include "ir/effects.h"
#include "ir/walk.h"
#include "safety.h"

namespace vcode::letform {

/// Analysis "effects": finds the functions that have effects besides their results. Starts with functions that contain
/// an operation with an effect and propagates from callees to callers. Recursion that might not end is not an effect.
/// O(size of the program).
std::vector<bool> functions_with_effects(const Program& program, const ShapeFacts& lengths) {
  std::vector<std::vector<std::uint32_t>> callers(program.functions.size());
  std::vector<bool> has(program.functions.size());
  std::vector<std::uint32_t> found;
  auto mark = [&](std::uint32_t function) {
    if (has[function]) return;
    has[function] = true;
    found.push_back(function);
  };
  for (std::uint32_t f = 0; f < program.functions.size(); ++f) {
    if (program.functions[f].linkage == Linkage::kExternal || !program.functions[f].returns) mark(f);
    Safety safety(program, program.functions[f], lengths);
    for_each_binding(program.functions[f].body, [&](const Binding& binding) {
      safety.note(binding);
      if (binding.form == Binding::Form::kCall) callers[binding.target].push_back(f);
      if (binding.form == Binding::Form::kOp && safety.has_effect(binding, has)) mark(f);
      if (binding.form == Binding::Form::kIf && safety.can_stop(binding)) mark(f);
    });
  }
  while (!found.empty()) {
    std::uint32_t function = found.back();
    found.pop_back();
    for (std::uint32_t caller : callers[function]) mark(caller);
  }
  return has;
}

}  // namespace vcode::letform
