#include <set>

#include "ir/call_graph.h"
#include "ir/function_queue.h"
#include "ir/walk.h"
#include "shape_pattern.h"

namespace vcode::letform {
namespace {

/// Weakens a pattern to the facts that also hold in another one. Returns whether it has changed.
bool weaken(std::optional<ShapePattern>& known, ShapePattern more) {
  if (known) more = meet(*known, more);
  if (known == more) return false;
  known = std::move(more);
  return true;
}

ShapePattern nothing_known(std::size_t values) {
  ShapePattern pattern;
  pattern.entries.resize(values * kShapeParts.size());
  return pattern;
}

/// Forgets the value of the last result if a pattern of parameters and results determines all results.
void leave_something_unknown(ShapePattern& exit, std::size_t parameters) {
  using Entry = ShapePattern::Entry;
  constexpr std::size_t kParts = kShapeParts.size();
  std::set<std::int64_t> given;  // groups that contain parameters
  for (std::size_t k = 0; k < parameters * kParts; ++k)
    if (exit.entries[k].what == Entry::What::kGroup) given.insert(exit.entries[k].number);
  auto says_value = [&](std::size_t k) {
    const Entry& entry = exit.entries[k];
    const auto part = kShapeParts[k % kParts];
    if (part == &Shape::elements || part == &Shape::segments) return false;
    return entry.what == Entry::What::kNumber || (entry.what == Entry::What::kGroup && given.contains(entry.number));
  };
  bool all = true;
  for (std::size_t k = parameters * kParts; k < exit.entries.size(); k += kParts) {
    bool known = false;
    for (std::size_t i = k; i < k + kParts; ++i) known = known || says_value(i);
    all = all && known;
  }
  if (!all || exit.entries.size() == parameters * kParts) return;
  for (std::size_t k = exit.entries.size() - kParts; k < exit.entries.size(); ++k)
    if (says_value(k)) exit.entries[k] = {};
  number_groups(exit);
}

void find_exits(const Program& program, const CallGraph& graph, ShapeFacts& facts) {
  std::vector<std::vector<std::uint32_t>> callers(program.functions.size());
  std::vector<bool> may_not_end(program.functions.size());
  FunctionQueue queue(program.functions.size());
  for (std::uint32_t f : graph.order) {
    if (graph.calls[f] != 0) queue.add(f);
    may_not_end[f] = graph.recursive[f];
    for_each_binding(program.functions[f].body, [&](const Binding& binding) {
      if (binding.form != Binding::Form::kCall) return;
      callers[binding.target].push_back(f);
      if (may_not_end[binding.target]) may_not_end[f] = true;
    });
  }
  while (!queue.empty()) {
    const std::uint32_t f = queue.take();
    const Function& function = program.functions[f];
    std::vector<Var> values = function.parameters;
    values.insert(values.end(), function.body.results.begin(), function.body.results.end());
    if (function.linkage == Linkage::kExternal) {
      weaken(facts[f].exit, nothing_known(values.size()));
      continue;
    }
    Shapes shapes(program, function, facts);
    for (const Binding& binding : function.body.bindings) shapes.note(binding);
    if (shapes.stopped()) continue;
    ShapePattern exit = shapes.pattern(values);
    if (may_not_end[f]) leave_something_unknown(exit, function.parameters.size());
    if (!weaken(facts[f].exit, std::move(exit))) continue;
    for (std::uint32_t caller : callers[f]) queue.add(caller);
  }
}

void find_entries(const Program& program, const CallGraph& graph, ShapeFacts& facts) {
  std::vector<bool> calls(program.functions.size());
  for (std::uint32_t f : graph.order)
    for_each_binding(program.functions[f].body,
                     [&](const Binding& binding) { calls[f] = calls[f] || binding.form == Binding::Form::kCall; });
  FunctionQueue queue(program.functions.size());
  for (std::uint32_t f = 0; f < program.functions.size(); ++f) {
    if (f != program.entry && program.functions[f].linkage != Linkage::kRoot) continue;
    facts[f].entry = nothing_known(program.functions[f].parameters.size());
    queue.add(f);
  }
  while (!queue.empty()) {
    const Function& function = program.functions[queue.take()];
    Shapes shapes(program, function, facts);
    auto visit = [&](const Binding& binding) {
      if (binding.form != Binding::Form::kCall) return;
      ShapePattern operands = of_pieces(shapes.pattern(binding.operands), program.functions[binding.target]);
      if (weaken(facts[binding.target].entry, std::move(operands)) && calls[binding.target]) queue.add(binding.target);
    };
    for (const Binding& binding : function.body.bindings) shapes.note(binding, visit);
  }
}

}  // namespace

ShapeFacts find_shape_facts(const Program& program) {
  ShapeFacts facts(program.functions.size());
  const CallGraph graph = make_call_graph(program);
  find_exits(program, graph, facts);
  find_entries(program, graph, facts);
  return facts;
}

}  // namespace vcode::letform
