#include "vcode/stack_effects.h"

#include <algorithm>

#include "base/strong_components.h"
#include "symbolic_run.h"

namespace vcode {
namespace {

/// The callees of each function, each once, sorted.
std::vector<std::vector<std::uint32_t>> find_callees(const Program& program) {
  std::vector<std::vector<std::uint32_t>> callees(program.functions.size());
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    for (const Instruction& instruction : program.functions[f].body)
      if (instruction.statement == Statement::kCall) callees[f].push_back(instruction.target);
    std::sort(callees[f].begin(), callees[f].end());
    callees[f].erase(std::unique(callees[f].begin(), callees[f].end()), callees[f].end());
  }
  return callees;
}

/// Equality of everything but the demands.
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
        callees_(find_callees(program)),
        effects_(program.functions.size()) {}

  StackEffects run() {
    if (program_.functions.empty()) return {};
    for (const std::vector<std::uint32_t>& component : base::strong_components(callees_, {program_.entry})) {
      bool recursive = component.size() > 1 || calls(component[0], component[0]);
      if (recursive)
        iterate(component);
      else
        effects_[component[0]] = run_once(component[0]);
      for (std::uint32_t f : component) effects_[f].analysed = true;
      // During the iteration of a cycle that never returns, calls within the cycle demanded nothing (see
      // SymbolicRun::call), so each function is run once more.
      for (std::uint32_t f : component)
        if (recursive && !effects_[f].returns && !effects_[f].exits) {
          effects_[f] = run_once(f);
          effects_[f].analysed = true;
        }
    }
    return std::move(effects_);
  }

 private:
  // An effect that still changes after kPatience rounds (such as that of a function that takes one more value on each
  // level of recursion) becomes unknown; after kLastRound all effects of the component become unknown.
  static constexpr int kPatience = 32, kLastRound = 40;

  bool calls(std::uint32_t caller, std::uint32_t callee) const {
    return std::binary_search(callees_[caller].begin(), callees_[caller].end(), callee);
  }

  StackEffect run_once(std::uint32_t f) {
    return SymbolicRun({program_, effects_, budget_, strict_}, program_.functions[f]).run();
  }

  void iterate(const std::vector<std::uint32_t>& component) {
    std::vector<std::vector<std::uint32_t>> callers(component.size());
    std::vector<bool> dirty(component.size(), true);
    for (std::size_t i = 0; i < component.size(); ++i) position(component[i]) = static_cast<std::uint32_t>(i + 1);
    for (std::size_t i = 0; i < component.size(); ++i)
      for (std::uint32_t callee : callees_[component[i]])
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

  /// The position of a function in the component being iterated, from 1; 0 for other functions.
  std::uint32_t& position(std::uint32_t f) {
    positions_.resize(program_.functions.size());
    return positions_[f];
  }

  const Program& program_;
  bool strict_;
  WorkBudget budget_;
  std::vector<std::vector<std::uint32_t>> callees_;
  StackEffects effects_;
  std::vector<std::uint32_t> positions_;
};

}  // namespace

StackEffects infer_stack_effects(const Program& program, bool strict) { return Inference(program, strict).run(); }

}  // namespace vcode
