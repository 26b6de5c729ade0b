#include "reached_definitions.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

namespace nesl {

namespace {

/// Tarjan's algorithm: components come out with those they refer to before them.
class Components {
 public:
  void visit(Definition& definition) {
    if (states_.contains(&definition)) return;
    std::size_t number = states_.size();
    states_[&definition] = {number, true};
    std::size_t below = stack_.size();
    stack_.push_back(&definition);
    std::size_t lowest = number;
    for (const Definition::Use& use : definition.uses) {
      visit(*use.definition);
      const State& state = states_[use.definition];
      if (state.open) lowest = std::min(lowest, state.number);
    }
    states_[&definition].number = lowest;
    if (lowest != number) return;
    finish(below);
  }

 private:
  struct State {
    std::size_t number = 0;  // the lowest reached so far
    bool open = false;       // its component is not complete
  };

  void finish(std::size_t below) {
    bool cycle = stack_.size() - below > 1;
    bool serial_only = false;
    for (std::size_t i = below; i < stack_.size(); ++i) {
      states_[stack_[i]].open = false;
      for (const Definition::Use& use : stack_[i]->uses) {
        cycle = cycle || use.definition == stack_[i];
        serial_only = serial_only || use.definition->serial_only;
      }
    }
    for (std::size_t i = below; i < stack_.size(); ++i) {
      if (stack_[i]->kind != Definition::Kind::kFunction) continue;
      stack_[i]->recursive = cycle;
      stack_[i]->serial_only = serial_only;
    }
    stack_.resize(below);
  }

  std::unordered_map<Definition*, State> states_;
  std::vector<Definition*> stack_;
};

}  // namespace

void update_flags(Environment& environment) {
  if (!environment.calls_changed()) return;
  environment.set_calls_changed(false);
  for (Definition& definition : environment.all())
    if (definition.kind == Definition::Kind::kFunction) definition.serial_only = false;
  Components components;
  for (Definition& definition : environment.all()) components.visit(definition);
}

void check_reachable(const std::vector<Definition::Use>& uses, Reporter& reporter) {
  std::unordered_set<const Definition*> seen;
  std::vector<const Definition*> open;
  auto check = [&](Span span, const Definition::Use& use, const Definition* from) {
    const Definition& used = *use.definition;
    bool first = seen.insert(&used).second;
    if (first) open.push_back(&used);
    if (first && used.kind == Definition::Kind::kFunction && used.body == nullptr)
      reporter.error(span, "no-body",
                     fmt::format("the function {}{} has been declared but never defined", used.name,
                                 from == nullptr ? "" : fmt::format(", which {} calls,", from->name)));
    if (from != nullptr && use.parallel && used.serial_only)
      reporter.error(span, "serial-only", fmt::format("cannot call {} in parallel, as {} does", used.name, from->name));
  };
  for (const Definition::Use& start : uses) {
    check(start.span, start, nullptr);
    while (!open.empty()) {
      const Definition* from = open.back();
      open.pop_back();
      for (const Definition::Use& use : from->uses) check(start.span, use, from);
    }
  }
}

}  // namespace nesl
