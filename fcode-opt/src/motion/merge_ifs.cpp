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

/// Maximal number of bindings that move with one IF.
constexpr std::size_t kMostMoved = 16;

/// Merges the IFs of one function.
class Joiner {
 public:
  Joiner(const Program& program, Function& function, const ShapeFacts& lengths, const std::vector<bool>& effects)
      : program_(program),
        effects_(effects),
        safety_(program, function, lengths),
        position_(function.values.size()),
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
    // Values bound in this block are visible everywhere in the blocks inside.
    for (const Binding& binding : out_)
      for (Var v : binding.results) position_[v] = 0;
    assemble(block);
    for (Binding& binding : block.bindings)
      for (Block& inner : binding.blocks) run(inner);
  }

 private:
  /// Consequences that running a binding may have.
  struct Traits {
    bool effect = false;
    bool check = false;  ///< later bindings may rely on it having run, for example on lengths that agree
    bool end = false;    ///< it may end the program, so that no later binding runs
    void include(const Traits& other) {
      effect = effect || other.effect;
      check = check || other.check;
      end = end || other.end;
    }
  };
  using Position = std::size_t;
  /// Order of the bindings of a block: position_of(k) is the rank of out_[k], position_before(k) the rank of bindings
  /// that move in front of it.
  static Position position_of(std::size_t k) { return 2 * k + 2; }
  static Position position_before(std::size_t k) { return 2 * k + 1; }

  void add(Binding binding) {
    const std::size_t k = out_.size();
    for (std::size_t result = 0; result < binding.results.size(); ++result) {
      const Var v = binding.results[result];
      position_[v] = position_of(k);
      definer_[v] = k;
      index_[v] = result;
    }
    const Traits traits = this->traits(binding);
    if (traits.effect) last_effect_ = position_of(k);
    if (traits.check) last_check_ = position_of(k);
    out_.push_back(std::move(binding));
  }

  /// Merges an IF into the earlier IF out_[at] with the same condition, if it can move there. Returns whether it has.
  bool join(Binding& first, std::size_t at, Binding& second) {
    const Traits moved = traits(second);
    if (last_check_ > position_of(at) || (last_effect_ > position_of(at) && moved.effect)) return false;
    if (traits(first).end || moved.end) return false;
    std::vector<std::size_t> needed;
    bool reads_first = false, can_move = true;
    const auto need = [&](const std::vector<Var>& values, bool directly) {
      for (Var v : values) {
        if (position_[v] < position_of(at) || needed.size() > kMostMoved) continue;
        if (position_[v] == position_of(at)) {
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
      for (Var v : out_[k].results) position_[v] = position_before(at);
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
      position_[v] = position_of(at);
      definer_[v] = at;
    }
    return true;
  }

  /// Replaces the results of an IF, in code that becomes a part of one of its branches, by the results of the branch.
  void replace(const Binding& choice, std::size_t at, std::size_t branch, Block& block) const {
    const auto rename = [&](std::vector<Var>& values) {
      for (Var& v : values)
        if (position_[v] == position_of(at)) v = choice.blocks[branch].results[index_[v]];
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

  /// Traits of all bindings of a block together.
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
  std::vector<Position> position_;    ///< of each value of the block: rank of its binding; 0 for values from outside
  std::vector<std::size_t> definer_;  ///< of each value of the block: index of its binding in out_
  std::vector<std::size_t> index_;    ///< of each value of the block: index among the results of its binding
  std::vector<Binding> out_;          ///< bindings of the block, without IFs that were merged into others
  std::unordered_map<std::size_t, std::size_t> moved_before_;
  std::unordered_map<const Block*, Traits> traits_of_ifs_;  ///< by the blocks of the IFs, which stay at their addresses
  Position last_effect_ = 0, last_check_ = 0;
};

}  // namespace

/// Pass "if-merging": merges IFs with the same condition.
///   before:  x = IF c then p = PACK INT a f s  yield p else yield a
///            y = - INT b b
///            z = IF c then q = PACK INT y f s  r = + INT q x  yield r else yield b
///   after:   y = - INT b b
///            x, z = IF c then p = PACK INT a f s  q = PACK INT y f s  r = + INT q p  yield p r else yield a b
/// Merging makes longer basic blocks: kernels end at an IF, and operations of several branches can be in one kernel
/// only if the branches are one. A later IF moves to the earlier IF, together with bindings that it needs and that have
/// no effect, unless a binding in between may be a check that it relies on. Branches that may end the program are not
/// merged. Nothing is computed more often than before. O(n) for each depth of IFs.
void merge_ifs(Program& program) {
  const ShapeFacts lengths = length_facts(program);
  const std::vector<bool> effects = functions_with_effects(program, lengths);
  for (Function& function : program.functions) {
    base::check_stop();
    Joiner(program, function, lengths, effects).run(function.body);
  }
}

}  // namespace vcode::letform
