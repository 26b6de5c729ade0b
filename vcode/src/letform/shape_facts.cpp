#include <deque>

#include "call_graph.h"
#include "shape_pattern.h"
#include "walk.h"

namespace vcode::letform {
namespace {

/// Functions that wait to be looked at, each of them once.
class Queue {
 public:
  explicit Queue(std::size_t functions) : waits_(functions) {}

  void add(std::uint32_t function) {
    if (waits_[function]) return;
    waits_[function] = true;
    queue_.push_back(function);
  }
  bool empty() const { return queue_.empty(); }
  std::uint32_t take() {
    const std::uint32_t function = queue_.front();
    queue_.pop_front();
    waits_[function] = false;
    return function;
  }

 private:
  std::deque<std::uint32_t> queue_;
  std::vector<bool> waits_;
};

/// Returns whether that says less than before.
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

void find_effects(const Program& program, const CallGraph& graph, ShapeFacts& facts) {
  std::vector<std::vector<std::uint32_t>> callers(program.functions.size());
  Queue queue(program.functions.size());
  for (std::uint32_t f : graph.order) {
    queue.add(f);
    for_each_binding(program.functions[f].body, [&](const Binding& binding) {
      if (binding.form == Binding::Form::kCall) callers[binding.target].push_back(f);
    });
  }
  while (!queue.empty()) {
    const std::uint32_t f = queue.take();
    const Function& function = program.functions[f];
    std::vector<Var> values = function.parameters;
    values.insert(values.end(), function.body.results.begin(), function.body.results.end());
    if (function.linkage == Linkage::kExternal) {
      weaken(facts[f].effect, nothing_known(values.size()));
      continue;
    }
    Shapes shapes(program, function, facts);
    for (const Binding& binding : function.body.bindings) shapes.note(binding);
    if (shapes.stopped()) continue;
    if (!weaken(facts[f].effect, shapes.pattern(values))) continue;
    for (std::uint32_t caller : callers[f]) queue.add(caller);
  }
}

void find_entries(const Program& program, ShapeFacts& facts) {
  Queue queue(program.functions.size());
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
      if (weaken(facts[binding.target].entry, shapes.pattern(binding.operands))) queue.add(binding.target);
    };
    for (const Binding& binding : function.body.bindings) shapes.note(binding, visit);
  }
}

}  // namespace

ShapeFacts find_shape_facts(const Program& program) {
  ShapeFacts facts(program.functions.size());
  find_effects(program, make_call_graph(program), facts);
  find_entries(program, facts);
  return facts;
}

}  // namespace vcode::letform
