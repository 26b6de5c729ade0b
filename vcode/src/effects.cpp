#include "vcode/effects.h"

#include <algorithm>

#include "symbolic_run.h"

namespace vcode {
namespace {

/// Strongly connected components of the call graph below the entry, callees before callers (Tarjan 1972, with
/// an explicit stack: call chains can be as long as the program).
class Components {
 public:
  explicit Components(const Program& program) : state_(program.functions.size()), callees_(program.functions.size()) {
    for (std::size_t f = 0; f < program.functions.size(); ++f) {
      for (const Instruction& instruction : program.functions[f].body)
        if (instruction.statement == Statement::kCall) callees_[f].push_back(instruction.target);
      std::sort(callees_[f].begin(), callees_[f].end());
      callees_[f].erase(std::unique(callees_[f].begin(), callees_[f].end()), callees_[f].end());
    }
    if (!program.functions.empty()) visit(program.entry);
  }

  const std::vector<std::vector<std::uint32_t>>& in_order() const { return components_; }
  const std::vector<std::uint32_t>& callees(std::uint32_t function) const { return callees_[function]; }

 private:
  struct FunctionState {
    std::uint32_t number = 0;  ///< order of discovery, from 1
    std::uint32_t lowest = 0;  ///< smallest number known to be reachable in the same component
    bool on_stack = false;
  };
  struct Visit {
    std::uint32_t function;
    std::size_t next_callee = 0;
  };

  void visit(std::uint32_t root) {
    std::vector<Visit> visits;
    discover(root, visits);
    while (!visits.empty()) {
      auto [f, next] = visits.back();
      if (next < callees_[f].size()) {
        ++visits.back().next_callee;
        std::uint32_t callee = callees_[f][next];
        if (state_[callee].number == 0)
          discover(callee, visits);
        else if (state_[callee].on_stack)
          state_[f].lowest = std::min(state_[f].lowest, state_[callee].number);
        continue;
      }
      visits.pop_back();
      if (!visits.empty()) {
        std::uint32_t caller = visits.back().function;
        state_[caller].lowest = std::min(state_[caller].lowest, state_[f].lowest);
      }
      if (state_[f].lowest == state_[f].number) close(f);
    }
  }

  void discover(std::uint32_t f, std::vector<Visit>& visits) {
    state_[f] = {++count_, count_, true};
    stack_.push_back(f);
    visits.push_back({f});
  }

  void close(std::uint32_t root) {
    std::vector<std::uint32_t> component;
    std::uint32_t member;
    do {
      member = stack_.back();
      stack_.pop_back();
      state_[member].on_stack = false;
      component.push_back(member);
    } while (member != root);
    components_.push_back(std::move(component));
  }

  std::vector<FunctionState> state_;
  std::vector<std::vector<std::uint32_t>> callees_;
  std::vector<std::uint32_t> stack_;
  std::uint32_t count_ = 0;
  std::vector<std::vector<std::uint32_t>> components_;
};

/// Equal in everything but who makes the demands.
bool same_effect(const StackEffect& a, const StackEffect& b) {
  auto same_type = [](const ValueType& x, const ValueType& y) {
    return x.kinds == y.kinds && x.required == y.required && x.first == y.first && x.second == y.second;
  };
  return a.returns == b.returns && a.exits == b.exits && a.exact == b.exact && a.needed == b.needed &&
         a.inputs == b.inputs && a.outputs == b.outputs &&
         std::equal(a.types.begin(), a.types.end(), b.types.begin(), b.types.end(), same_type);
}

class Inference {
 public:
  Inference(const Program& program, bool strict)
      : program_(program),
        strict_(strict),
        budget_(program),
        components_(program),
        effects_(program.functions.size()) {}

  ProgramEffects run() {
    for (const std::vector<std::uint32_t>& component : components_.in_order()) {
      bool recursive = component.size() > 1 || calls(component[0], component[0]);
      if (recursive)
        iterate(component);
      else
        effects_[component[0]] = run_once(component[0]);
      for (std::uint32_t f : component) effects_[f].analysed = true;
      // While a cycle that never returns was iterated, calls within it demanded nothing (see SymbolicRun::call).
      for (std::uint32_t f : component)
        if (recursive && !effects_[f].returns && !effects_[f].exits) {
          effects_[f] = run_once(f);
          effects_[f].analysed = true;
        }
    }
    return std::move(effects_);
  }

 private:
  // Effects that still change after so many rounds (a function that takes one value more on each level of
  // recursion, say) are given up.
  static constexpr int kPatience = 32, kLastRound = 40;

  bool calls(std::uint32_t caller, std::uint32_t callee) const {
    const std::vector<std::uint32_t>& callees = components_.callees(caller);
    return std::binary_search(callees.begin(), callees.end(), callee);
  }

  StackEffect run_once(std::uint32_t f) {
    return SymbolicRun({program_, effects_, budget_, strict_}, program_.functions[f]).run();
  }

  void iterate(const std::vector<std::uint32_t>& component) {
    std::vector<std::vector<std::uint32_t>> callers(component.size());
    std::vector<bool> dirty(component.size(), true);
    for (std::size_t i = 0; i < component.size(); ++i) position(component[i]) = static_cast<std::uint32_t>(i + 1);
    for (std::size_t i = 0; i < component.size(); ++i)
      for (std::uint32_t callee : components_.callees(component[i]))
        if (std::uint32_t p = position(callee)) callers[p - 1].push_back(static_cast<std::uint32_t>(i));
    bool changed = true;
    for (int round = 0; changed && round < kLastRound; ++round) {
      changed = false;
      for (std::size_t i = 0; i < component.size(); ++i) {
        if (!dirty[i]) continue;
        dirty[i] = false;
        std::uint32_t f = component[i];
        StackEffect effect = run_once(f);
        bool differs = !same_effect(effect, effects_[f]);
        if (differs && round >= kPatience) effect = unknown_effect();
        effects_[f] = std::move(effect);
        if (!differs) continue;
        changed = true;
        for (std::uint32_t caller : callers[i]) dirty[caller] = true;
      }
    }
    for (std::uint32_t f : component) {
      if (changed) effects_[f] = unknown_effect();
      position(f) = 0;
    }
  }

  /// Of a function in the component being iterated, from 1; 0 for others.
  std::uint32_t& position(std::uint32_t f) {
    positions_.resize(program_.functions.size());
    return positions_[f];
  }

  const Program& program_;
  bool strict_;
  WorkBudget budget_;
  Components components_;
  ProgramEffects effects_;
  std::vector<std::uint32_t> positions_;
};

}  // namespace

ProgramEffects infer_effects(const Program& program, bool strict) { return Inference(program, strict).run(); }

}  // namespace vcode
