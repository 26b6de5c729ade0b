#include "call_graph.h"

#include <algorithm>

#include "walk.h"

namespace vcode::letform {
namespace {

/// Tarjan's algorithm: functions that call each other form a component. R. Tarjan, Depth-first search and linear graph
/// algorithms, 1972.
class Search {
 public:
  explicit Search(const Program& program) : program_(program), nodes_(program.functions.size()) {
    graph_.recursive.resize(nodes_.size());
    graph_.calls.resize(nodes_.size());
  }

  CallGraph run() {
    visit(program_.entry);
    for (std::uint32_t f = 0; f < program_.functions.size(); ++f)
      if (program_.functions[f].linkage == Linkage::kRoot && nodes_[f].number == 0) visit(f);
    return std::move(graph_);
  }

 private:
  struct Node {
    std::uint32_t number = 0;  ///< in the order of visits, from 1
    std::uint32_t lowest = 0;  ///< of those that can be reached and have no component yet
    bool open = false;
  };

  void visit(std::uint32_t function) {
    Node& node = nodes_[function];
    node.number = node.lowest = ++visited_;
    node.open = true;
    open_.push_back(function);
    for_each_binding(program_.functions[function].body, [&](const Binding& binding) {
      if (binding.form != Binding::Form::kCall) return;
      const std::uint32_t callee = binding.target;
      ++graph_.calls[callee];
      if (callee == function) graph_.recursive[function] = true;
      if (nodes_[callee].number == 0) visit(callee);
      if (nodes_[callee].open) node.lowest = std::min(node.lowest, nodes_[callee].lowest);
    });
    if (node.lowest != node.number) return;
    auto begin = std::find(open_.rbegin(), open_.rend(), function).base() - 1;
    for (auto it = begin; it != open_.end(); ++it) {
      nodes_[*it].open = false;
      if (open_.end() - begin > 1) graph_.recursive[*it] = true;
    }
    graph_.order.insert(graph_.order.end(), begin, open_.end());
    open_.erase(begin, open_.end());
  }

  const Program& program_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> open_;
  std::uint32_t visited_ = 0;
  CallGraph graph_;
};

}  // namespace

CallGraph make_call_graph(const Program& program) { return Search(program).run(); }

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
