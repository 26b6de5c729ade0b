#include "call_graph.h"

#include <algorithm>

#include "base/strong_components.h"
#include "walk.h"

namespace vcode::letform {

CallGraph make_call_graph(const Program& program) {
  std::vector<std::vector<std::uint32_t>> callees(program.functions.size());
  std::vector<std::uint32_t> roots{program.entry};
  for (std::uint32_t f = 0; f < program.functions.size(); ++f) {
    if (program.functions[f].linkage == Linkage::kRoot) roots.push_back(f);
    for_each_binding(program.functions[f].body, [&](const Binding& binding) {
      if (binding.form == Binding::Form::kCall) callees[f].push_back(binding.target);
    });
  }
  CallGraph graph{{}, std::vector<bool>(callees.size()), std::vector<std::uint32_t>(callees.size())};
  for (const std::vector<std::uint32_t>& component : base::strong_components(callees, roots))
    for (std::uint32_t f : component) {
      graph.order.push_back(f);
      graph.recursive[f] =
          component.size() > 1 || std::find(callees[f].begin(), callees[f].end(), f) != callees[f].end();
      for (std::uint32_t callee : callees[f]) ++graph.calls[callee];
    }
  return graph;
}

void remove_unreachable_functions(Program& program) {
  std::vector<bool> reached(program.functions.size());
  for (std::uint32_t f : make_call_graph(program).order) reached[f] = true;
  std::vector<std::uint32_t> numbers(program.functions.size());
  std::uint32_t kept = 0;
  for (std::uint32_t f = 0; f < reached.size(); ++f) {
    if (!reached[f]) continue;
    numbers[f] = kept;
    if (f != kept) program.functions[kept] = std::move(program.functions[f]);
    ++kept;
  }
  program.functions.resize(kept);
  program.entry = numbers[program.entry];
  for (Function& function : program.functions)
    for_each_binding(function.body, [&](Binding& binding) {
      if (binding.form == Binding::Form::kCall) binding.target = numbers[binding.target];
    });
}

}  // namespace vcode::letform
