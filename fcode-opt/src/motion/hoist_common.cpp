#include <algorithm>
#include <unordered_map>
#include <utility>

#include "fcode-opt/passes.h"
#include "ir/expression.h"
#include "ir/walk.h"
#include "shapes/safety.h"

namespace vcode::letform {
namespace {

class Hoister {
 public:
  Hoister(const Program& program, Function& function, const ShapeFacts& lengths, const std::vector<bool>& effects)
      : function_(function),
        effects_(effects),
        safety_(program, function, lengths),
        inside_(function.values.size()),
        same_as_(function.values.size()) {
    for (Var v = 0; v < same_as_.size(); ++v) same_as_[v] = v;
  }

  void run(Block& block) {
    std::vector<Binding> old = std::exchange(block.bindings, {});
    for (Binding& binding : old) {
      rename(binding);
      safety_.note(binding);
      if (binding.form == Binding::Form::kIf) {
        hoist(binding, block.bindings);
        for (Block& branch : binding.blocks) run(branch);
      }
      block.bindings.push_back(std::move(binding));
    }
    replace(block.results);
  }

 private:
  /// Index and results of a binding, which stay valid when the binding has been moved away.
  struct Position {
    std::size_t index;
    std::vector<Var> results;
  };

  /// Hoists bindings common to both branches in front of the IF.
  void hoist(Binding& choice, std::vector<Binding>& to) {
    std::vector<Binding>& first = choice.blocks[0].bindings;
    std::unordered_map<Expression, Position, ExpressionHash> in_first;
    bool checked = false;
    for (std::size_t i = 0; i < first.size() && !reads_clock(first[i]); ++i) {
      rename(first[i]);
      if (can_move(first[i], checked)) in_first.try_emplace(expression_of(first[i]), Position{i, first[i].results});
      checked |= may_check(first[i]);
    }
    mark(choice, true);
    std::vector<bool> moved(first.size());
    checked = false;
    bool timed = false;
    std::erase_if(choice.blocks[1].bindings, [&](Binding& binding) {
      rename(binding);
      timed = timed || reads_clock(binding);
      const bool stays = timed || !can_move(binding, checked) || !is_visible(binding);
      checked |= may_check(binding);
      if (stays) return false;
      const auto found = in_first.find(expression_of(binding));
      if (found == in_first.end()) return false;
      auto& [position, results] = found->second;
      for (std::size_t k = 0; k < results.size(); ++k) same_as_[binding.results[k]] = results[k];
      if (moved[position]) return true;
      moved[position] = true;
      for (Var v : results) inside_[v] = false;
      Binding& twin = to.emplace_back(std::move(first[position]));
      twin.nest.clear();
      twin.location_only = twin.site != kNoSite;
      twin.outermost = false;
      return true;
    });
    mark(choice, false);
    std::size_t next = 0;
    std::erase_if(first, [&](const Binding&) { return moved[next++]; });
  }

  /// Whether a binding of a branch may be hoisted. Without effect it can fail only for lack of memory, so its nest need
  /// not be kept. Kernels stay, as kernels with equal operands may have different steps. After a binding that may check
  /// something, `checked`, an operation on several vectors stays, too: the check may be the one for equal lengths.
  bool can_move(const Binding& binding, bool checked) {
    if (binding.form == Binding::Form::kIf || binding.form == Binding::Form::kFused) return false;
    safety_.note(binding);
    return !safety_.has_effect(binding, effects_) && (!checked || !compares_lengths(binding));
  }
  bool compares_lengths(const Binding& binding) const {
    return binding.operands.size() > 1 && !std::all_of(binding.operands.begin(), binding.operands.end(),
                                                       [&](Var v) { return function_.values[v].scalar; });
  }
  /// Whether a binding may stop the program.
  bool may_check(const Binding& binding) const {
    return binding.form == Binding::Form::kIf || safety_.has_effect(binding, effects_);
  }
  bool is_visible(const Binding& binding) const {
    return std::none_of(binding.operands.begin(), binding.operands.end(), [&](Var v) { return inside_[v]; });
  }
  void mark(const Binding& choice, bool inside) {
    for (const Block& branch : choice.blocks)
      for (const Binding& binding : branch.bindings)
        for (Var v : binding.results) inside_[v] = inside;
  }
  void replace(std::vector<Var>& values) const {
    for (Var& v : values) v = same_as_[v];
  }
  void rename(Binding& binding) const {
    rename_uses(binding, [&](std::vector<Var>& values) { replace(values); });
  }

  const Function& function_;
  const std::vector<bool>& effects_;
  Safety safety_;
  std::vector<bool> inside_;  ///< whether a value is bound in the branches of the present IF
  std::vector<Var> same_as_;
};

}  // namespace

/// Pass "hoist-common": hoists bindings that both branches of an IF compute in front of it.
///   before:  a = IF c then x = NOT INT b  y = + INT x x  yield y else z = NOT INT b  yield z
///   after:   x = NOT INT b   a = IF c then y = + INT x x  yield y else yield x
/// Hoists only bindings without effect, after checks only those that do not compare lengths, and none after an
/// operation that reads the clock; no run computes more than before. Visits outer IFs first, so that bindings common to
/// the branches of an inner IF move out by one level; O(n).
void hoist_common_bindings(Program& program) {
  const ShapeFacts lengths = length_facts(program);
  const std::vector<bool> effects = functions_with_effects(program, lengths);
  for (Function& function : program.functions) Hoister(program, function, lengths, effects).run(function.body);
}

}  // namespace vcode::letform
