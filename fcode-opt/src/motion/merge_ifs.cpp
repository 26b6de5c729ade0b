#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "base/stop_request.h"
#include "fcode-opt/passes.h"
#include "ir/walk.h"
#include "shapes/safety.h"

namespace vcode::letform {
namespace {

/// So many bindings in between may move with an IF.
constexpr std::size_t kMostMoved = 16;

/// Joins the IFs of one function.
class Joiner {
 public:
  Joiner(const Program& program, Function& function, const ShapeFacts& lengths, const std::vector<bool>& effects)
      : program_(program),
        effects_(effects),
        safety_(program, function, lengths),
        place_(function.values.size()),
        definer_(function.values.size()),
        index_(function.values.size()) {
    for_each_binding(function.body, [&](const Binding& binding) { safety_.note(binding); });
    find_traits(function.body);
  }

  void run(Block& block) {
    out_.clear();
    moved_before_.clear();
    last_effect_ = last_check_ = 0;
    std::unordered_map<Var, std::size_t> by_condition;
    for (Binding& binding : std::exchange(block.bindings, {})) {
      const bool is_if = binding.form == Binding::Form::kIf;
      if (reads_clock(binding)) by_condition.clear();
      if (is_if) {
        const auto [first, is_new] = by_condition.try_emplace(binding.operands[0], out_.size());
        if (!is_new && join(out_[first->second], first->second, binding)) continue;
        first->second = out_.size();
      }
      add(std::move(binding));
    }
    // What is bound here is visible everywhere in the blocks inside.
    for (const Binding& binding : out_)
      for (Var v : binding.results) place_[v] = 0;
    assemble(block);
    for (Binding& binding : block.bindings)
      for (Block& inner : binding.blocks) run(inner);
  }

 private:
  /// What may happen when a binding runs.
  struct Traits {
    bool effect = false;
    bool check = false;  ///< what stands behind may rely on its having run: that lengths agree, for example
    bool end = false;    ///< nothing behind it may run
    void include(const Traits& other) {
      effect = effect || other.effect;
      check = check || other.check;
      end = end || other.end;
    }
  };
  using Place = std::size_t;
  /// Where the results of out_[k] are bound, and of what moves in front of it. Smaller ones are bound before.
  static Place place_of(std::size_t k) { return 2 * k + 2; }
  static Place place_before(std::size_t k) { return 2 * k + 1; }

  void add(Binding binding) {
    const std::size_t k = out_.size();
    for (std::size_t result = 0; result < binding.results.size(); ++result) {
      const Var v = binding.results[result];
      place_[v] = place_of(k);
      definer_[v] = k;
      index_[v] = result;
    }
    const Traits traits = this->traits(binding);
    if (traits.effect) last_effect_ = place_of(k);
    if (traits.check) last_check_ = place_of(k);
    out_.push_back(std::move(binding));
  }

  /// Joins a binding to the IF out_[at] before it, which has the same condition, if it can move there.
  bool join(Binding& first, std::size_t at, Binding& second) {
    const Traits moved = traits(second);
    if (last_check_ > place_of(at) || (last_effect_ > place_of(at) && moved.effect)) return false;
    if (traits(first).end || moved.end) return false;
    std::vector<std::size_t> needed;
    bool reads_first = false, can_move = true;
    const auto need = [&](const std::vector<Var>& values, bool directly) {
      for (Var v : values) {
        if (place_[v] < place_of(at) || needed.size() > kMostMoved) continue;
        if (place_[v] == place_of(at)) {
          reads_first = true;
          can_move = can_move && directly;
        } else if (std::find(needed.begin(), needed.end(), definer_[v]) == needed.end()) {
          needed.push_back(definer_[v]);
        }
      }
    };
    for (const Block& block : second.blocks) {
      for_each_binding(block, [&](const Binding& inner) {
        need(inner.operands, true);
        need(inner.nest, true);
        for (const Block& deeper : inner.blocks) need(deeper.results, true);
      });
      need(block.results, true);
    }
    for (std::size_t k = 0; can_move && k < needed.size(); ++k) {
      const Binding& binding = out_[needed[k]];
      can_move = k < kMostMoved && binding.form != Binding::Form::kIf && !traits(binding).effect;
      need(binding.operands, false);
      need(binding.nest, false);
    }
    if (!can_move) return false;
    for (const std::size_t k : needed) {
      moved_before_[k] = at;
      for (Var v : out_[k].results) place_[v] = place_before(at);
    }
    for (std::size_t k = 0; k < 2; ++k) {
      if (reads_first) replace(first, at, k, second.blocks[k]);
      Block &to = first.blocks[k], &from = second.blocks[k];
      std::move(from.bindings.begin(), from.bindings.end(), std::back_inserter(to.bindings));
      to.results.insert(to.results.end(), from.results.begin(), from.results.end());
    }
    traits_of_ifs_[first.blocks.data()].include(moved);
    for (Var v : second.results) {
      index_[v] = first.results.size();
      first.results.push_back(v);
      place_[v] = place_of(at);
      definer_[v] = at;
    }
    return true;
  }

  /// Replaces, in what will be a part of a branch, the results of its IF by those of the branch.
  void replace(const Binding& choice, std::size_t at, std::size_t branch, Block& block) const {
    const auto rename = [&](std::vector<Var>& values) {
      for (Var& v : values)
        if (place_[v] == place_of(at)) v = choice.blocks[branch].results[index_[v]];
    };
    for_each_binding(block, [&](Binding& binding) {
      rename_uses(binding, rename);
      for (Block& inner : binding.blocks) rename(inner.results);
    });
    rename(block.results);
  }

  void assemble(Block& block) {
    std::vector<std::vector<std::size_t>> before(out_.size());
    for (std::size_t k = 0; k < out_.size(); ++k)
      if (const auto moved = moved_before_.find(k); moved != moved_before_.end()) before[moved->second].push_back(k);
    for (std::size_t k = 0; k < out_.size(); ++k) {
      if (moved_before_.contains(k)) continue;
      for (const std::size_t moved : before[k]) block.bindings.push_back(std::move(out_[moved]));
      block.bindings.push_back(std::move(out_[k]));
    }
  }

  /// Of all bindings of a block together.
  Traits find_traits(const Block& block) {
    Traits all;
    for (const Binding& binding : block.bindings) {
      if (binding.form == Binding::Form::kIf) {
        const bool can_stop = safety_.can_stop(binding);
        Traits traits{.effect = can_stop, .check = can_stop};
        for (const Block& inner : binding.blocks) traits.include(find_traits(inner));
        traits_of_ifs_[binding.blocks.data()] = traits;
      }
      all.include(traits(binding));
    }
    return all;
  }

  Traits traits(const Binding& binding) const {
    if (binding.form == Binding::Form::kIf) return traits_of_ifs_.at(binding.blocks.data());
    const bool is_call = binding.form == Binding::Form::kCall, is_op = binding.form == Binding::Form::kOp;
    if (!safety_.has_effect(binding, effects_)) return {};
    const bool checks = is_op && (info(binding.op).checks() || info(binding.op).op_class == OpClass::kSystem);
    return {.effect = true,
            .check = !program_.lengths_agree || is_call || checks,
            .end = (is_call && !program_.functions[binding.target].returns) || (is_op && binding.op == Op::kExit)};
  }

  const Program& program_;
  const std::vector<bool>& effects_;
  Safety safety_;
  std::vector<Place> place_;          ///< of each value of the block; 0 outside of it
  std::vector<std::size_t> definer_;  ///< in out_, of each value of the block
  std::vector<std::size_t> index_;    ///< among the results of its definer
  std::vector<Binding> out_;          ///< of the block, without IFs that were joined to others
  std::unordered_map<std::size_t, std::size_t> moved_before_;
  std::unordered_map<const Block*, Traits> traits_of_ifs_;  ///< by their blocks, which stay where they are
  Place last_effect_ = 0, last_check_ = 0;
};

}  // namespace

/// Pass "if-merging": one IF in place of several with one condition.
///   before:  x = IF c then p = PACK INT a f s  yield p else yield a
///            y = - INT b b
///            z = IF c then q = PACK INT y f s  r = + INT q x  yield r else yield b
///   after:   y = - INT b b
///            x, z = IF c then p = PACK INT a f s  q = PACK INT y f s  r = + INT q p  yield p r else yield a b
/// Kernels end at an IF; and operations of several branches can be one kernel only in one branch. The later IF moves to
/// the earlier one, with what it needs and what has no effect, unless what is in between may be a check that it relies
/// on. A branch that may end the program stays. Nothing is computed more often. O(n) for each depth of IFs.
void merge_ifs(Program& program) {
  const ShapeFacts lengths = length_facts(program);
  const std::vector<bool> effects = functions_with_effects(program, lengths);
  for (Function& function : program.functions) {
    base::check_stop();
    Joiner(program, function, lengths, effects).run(function.body);
  }
}

}  // namespace vcode::letform
