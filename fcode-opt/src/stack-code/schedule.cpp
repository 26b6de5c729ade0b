#include "schedule.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/check.h"
#include "ir/walk.h"
#include "shapes/safety.h"

namespace vcode::letform {
namespace {

/// Shorter constants are written at each use instead of being kept on the stack.
constexpr std::size_t kShortConstant = 8;
/// How many operations may move together to their only use, across others.
constexpr int kLargestTree = 16;
/// Trees are no deeper, so that planning needs little memory for long chains.
constexpr int kDeepestTree = 500;
constexpr std::uint32_t kNone = UINT32_MAX;

class Scheduler {
 public:
  Scheduler(const Program& program, const Function& function, const ShapeFacts& lengths,
            const std::vector<bool>& effects)
      : program_(program),
        function_(function),
        effects_(effects),
        safety_(program, function, lengths),
        values_(function.values.size()) {}

  Schedule run() {
    note_block(function_.body);
    schedule_.departure.resize(function_.values.size(), kNone);
    schedule_.body = plan_block(0);
    std::vector<Var>& unneeded = schedule_.blocks[schedule_.body].unneeded;
    for (Var v : function_.parameters)
      if (!values_[v].live) unneeded.push_back(v);
    return std::move(schedule_);
  }

 private:
  struct ValueNote {
    std::uint32_t block = kNone;  ///< where it is bound, and by which of the bindings there
    std::uint32_t index = 0;
    std::uint32_t uses = 0;  ///< in nests only those of which has_for_nest() is false
    std::uint32_t constant = kNone;
    bool in_nest = false;       ///< of a binding of which has_for_nest() is false: it must be on the stack
    bool live = false;          ///< used behind the place that planning has reached
    std::uint32_t awaited = 0;  ///< number of steps being planned that have it as an operand
    bool moves = false;         ///< its departure is a move, in the block being planned
  };
  struct BlockNote {
    const Block* block;
    std::vector<bool> effect;           ///< of each binding
    std::vector<std::uint32_t> timers;  ///< how many timers are started or stopped before each, and in all
    std::vector<std::uint32_t> first_inner;
    std::vector<std::uint32_t> second_inner;
  };
  /// A block being planned, from its end to its beginning.
  struct Frame {
    std::uint32_t block;
    const std::vector<Binding>& bindings;
    const std::vector<bool>& effect;
    std::vector<bool> taken;       ///< has its place in the schedule
    std::uint32_t untaken;         ///< one more than the last binding without
    std::uint32_t untaken_effect;  ///< one more than the last such binding with an effect
  };

  // --- what the function looks like -----------------------------------------------------------------------

  /// Finds definitions, uses and effects. Returns the number of the block.
  std::uint32_t note_block(const Block& block) {
    auto id = static_cast<std::uint32_t>(notes_.size());
    const std::size_t size = block.bindings.size();
    notes_.push_back({&block,
                      std::vector<bool>(size),
                      {},
                      std::vector<std::uint32_t>(size, kNone),
                      std::vector<std::uint32_t>(size, kNone)});
    std::uint32_t timers = 0;
    for (std::uint32_t i = 0; i < size; ++i) {
      const Binding& binding = block.bindings[i];
      if (binding.form == Binding::Form::kCall && i + 1 == size && binding.results == block.results)
        tail_calls_.insert(&binding);
      for (Var v : binding.operands) ++values_[v].uses;
      for (Var v : binding.nest) {
        if (has_for_nest(binding, v)) continue;
        ++values_[v].uses;
        values_[v].in_nest = true;
      }
      for (Var v : binding.results) {
        values_[v].block = id;
        values_[v].index = i;
      }
      safety_.note(binding);
      bool effect = false;
      if (binding.form == Binding::Form::kIf) {
        std::uint32_t first = note_block(binding.blocks[0]), second = note_block(binding.blocks[1]);
        notes_[id].first_inner[i] = first;
        notes_[id].second_inner[i] = second;
        effect = any(notes_[first].effect) || any(notes_[second].effect) || safety_.can_stop(binding);
      } else {
        effect = safety_.has_effect(binding, effects_);
      }
      notes_[id].effect[i] = effect;
      notes_[id].timers.push_back(timers);
      timers += reads_clock(binding);
      if (binding.form == Binding::Form::kConst && program_.constants[binding.target].size() <= kShortConstant)
        values_[binding.results[0]].constant = binding.target;
    }
    notes_[id].timers.push_back(timers);
    for (Var v : block.results) ++values_[v].uses;
    return id;
  }

  static bool any(const std::vector<bool>& flags) { return std::find(flags.begin(), flags.end(), true) != flags.end(); }
  /// Whether a binding has a value of its nest as an operand, so that nothing else need be left on the stack. The
  /// operands of a call are gone when something in the function fails; but a tail call leaves nothing below them.
  bool has_for_nest(const Binding& binding, Var v) const {
    if (binding.form == Binding::Form::kCall && !tail_calls_.contains(&binding)) return false;
    return std::find(binding.operands.begin(), binding.operands.end(), v) != binding.operands.end();
  }
  /// Whether the value is written down at each use.
  bool is_repeated(Var v) const { return values_[v].constant != kNone && !values_[v].in_nest; }

  // --- blocks, backwards ------------------------------------------------------------------------------------

  std::uint32_t plan_block(std::uint32_t id) {
    const Block& block = *notes_[id].block;
    const auto size = static_cast<std::uint32_t>(block.bindings.size());
    Frame frame{id, block.bindings, notes_[id].effect, std::vector<bool>(size), size, size};
    for (std::uint32_t i = 0; i < size; ++i)
      if (block.bindings[i].form == Binding::Form::kConst && is_repeated(block.bindings[i].results[0]))
        frame.taken[i] = true;
    settle(frame);
    const int outer_depth = std::exchange(tree_depth_, 0);
    std::vector<std::uint32_t> steps{plan_step(frame, nullptr, block.results)};
    while (frame.untaken > 0) {
      const std::uint32_t i = frame.untaken - 1;
      take(frame, i);
      const Binding& binding = block.bindings[i];
      std::vector<Var> dead;
      for (Var v : binding.results) {
        if (!values_[v].live) dead.push_back(v);
        values_[v].live = false;
      }
      std::uint32_t step = plan_step(frame, &binding, binding.operands);
      schedule_.steps[step].dead.insert(schedule_.steps[step].dead.end(), dead.begin(), dead.end());
      steps.push_back(step);
    }
    tree_depth_ = outer_depth;
    std::reverse(steps.begin(), steps.end());
    auto result = static_cast<std::uint32_t>(schedule_.blocks.size());
    schedule_.blocks.push_back({{}, std::move(steps), {}});
    return result;
  }

  void take(Frame& frame, std::uint32_t i) {
    frame.taken[i] = true;
    settle(frame);
  }
  void settle(Frame& frame) {
    while (frame.untaken > 0 && frame.taken[frame.untaken - 1]) --frame.untaken;
    while (frame.untaken_effect > 0 &&
           (frame.taken[frame.untaken_effect - 1] || !frame.effect[frame.untaken_effect - 1]))
      --frame.untaken_effect;
  }

  void set_live(Var v) {
    if (values_[v].live) return;
    values_[v].live = true;
    became_live_.push_back(v);
  }

  /// Plans the operands of a step, from the last to the first.
  std::uint32_t plan_step(Frame& frame, const Binding* binding, std::vector<Var> operands) {
    auto id = static_cast<std::uint32_t>(schedule_.steps.size());
    schedule_.steps.emplace_back().binding = binding;
    if (binding) {
      if (binding->form == Binding::Form::kIf) plan_branches(frame, *binding, id);
      for (Var v : binding->nest) {
        if (has_for_nest(*binding, v) || values_[v].live) continue;
        schedule_.steps[id].dead.push_back(v);
        depart(v, id, false);
      }
      if (better_turned(frame, *binding)) std::swap(operands[0], operands[1]);
    }
    for (Var v : operands) ++values_[v].awaited;
    ++tree_depth_;
    std::vector<Operand> plan;
    for (std::size_t end = operands.size(); end > 0;) {
      Var v = operands[end - 1];
      if (is_repeated(v)) {
        plan.push_back({Operand::How::kConst, v, values_[v].constant});
        --end;
      } else if (const Binding* inner = runs_here(frame, operands, end)) {
        end -= inner->results.size();
        take(frame, values_[v].index);
        plan.push_back({Operand::How::kStep, kNoVar, plan_step(frame, inner, inner->operands)});
      } else {
        plan.push_back({is_last_here(v, id, plan) ? Operand::How::kMove : Operand::How::kCopy, v, 0});
        --end;
      }
    }
    std::reverse(plan.begin(), plan.end());
    for (Var v : operands) --values_[v].awaited;
    --tree_depth_;
    schedule_.steps[id].operands = std::move(plan);
    schedule_.steps[id].end = static_cast<std::uint32_t>(schedule_.steps.size());
    return id;
  }

  void depart(Var v, std::uint32_t step, bool moves) {
    set_live(v);
    schedule_.departure[v] = step;
    values_[v].moves = moves;
  }

  /// Whether an operand moves its value, which it does at the last use. If the last use is in a step that runs between
  /// this operand and its instruction, this operand moves the value and that step copies it. `plan` is the plan of this
  /// step so far.
  bool is_last_here(Var v, std::uint32_t step, std::vector<Operand>& plan) {
    if (values_[v].live) {
      const std::uint32_t last = schedule_.departure[v];
      if (!values_[v].moves || last < step) return false;
      std::vector<Operand>& operands = last == step ? plan : schedule_.steps[last].operands;
      const auto move = std::find_if(operands.begin(), operands.end(),
                                     [&](const Operand& o) { return o.how == Operand::How::kMove && o.var == v; });
      VC_CHECK(move != operands.end());
      move->how = Operand::How::kCopy;
    }
    depart(v, step, true);
    return true;
  }

  /// Of an operation that commutes: whether to exchange its operands, so that the second is computed in place and the
  /// first copied above it. Not if the operation can fail, as messages would name the operands in the wrong order.
  bool better_turned(Frame& frame, const Binding& binding) {
    if (binding.form != Binding::Form::kOp || !info(binding.op).commutes()) return false;
    if (frame.effect[static_cast<std::size_t>(&binding - frame.bindings.data())]) return false;
    Var first = binding.operands[0];
    return (is_repeated(first) || values_[first].live) && runs_here(frame, binding.operands, 2);
  }

  /// The binding whose results are the last of these operands, if it can run just before they are used.
  const Binding* runs_here(const Frame& frame, const std::vector<Var>& operands, std::size_t end) const {
    const ValueNote& value = values_[operands[end - 1]];
    if (value.block != frame.block || frame.taken[value.index] || tree_depth_ > kDeepestTree) return nullptr;
    const Binding& binding = frame.bindings[value.index];
    const std::size_t count = binding.results.size();
    if (count > end || !std::equal(binding.results.begin(), binding.results.end(),
                                   operands.begin() + static_cast<std::ptrdiff_t>(end - count)))
      return nullptr;
    for (Var v : binding.results)
      if (values_[v].uses != 1 || values_[v].in_nest) return nullptr;
    if (frame.effect[value.index] && frame.untaken_effect != value.index + 1) return nullptr;
    if (frame.untaken == value.index + 1) return &binding;
    // What is timed stays between the timers.
    const std::vector<std::uint32_t>& timers = notes_[frame.block].timers;
    if (timers[value.index] != timers[frame.untaken]) return nullptr;
    int budget = kLargestTree;
    return can_sink(frame, binding, budget) ? &binding : nullptr;
  }

  /// Whether running later extends no live range of a vector.
  bool can_sink(const Frame& frame, const Binding& binding, int& budget) const {
    if (binding.form != Binding::Form::kOp && binding.form != Binding::Form::kConst) return false;
    if (--budget < 0) return false;
    for (Var v : binding.nest)
      if (!values_[v].live && !has_for_nest(binding, v)) return false;
    return std::all_of(binding.operands.begin(), binding.operands.end(), [&](Var v) {
      const ValueNote& value = values_[v];
      if (value.live || value.awaited > 0 || is_repeated(v) || function_.values[v].scalar) return true;
      if (value.block != frame.block || frame.taken[value.index] || frame.effect[value.index]) return false;
      if (value.uses != 1 || value.in_nest) return false;
      const Binding& inner = frame.bindings[value.index];
      return inner.results.size() == 1 && can_sink(frame, inner, budget);
    });
  }

  /// Both branches begin with the values that either needs, so each first drops those that only the other one needs.
  void plan_branches(const Frame& frame, const Binding& binding, std::uint32_t step) {
    const auto index = static_cast<std::size_t>(&binding - frame.bindings.data());
    std::uint32_t inner[] = {notes_[frame.block].first_inner[index], notes_[frame.block].second_inner[index]};
    std::vector<Var> needed[2];
    for (int b = 0; b < 2; ++b) {
      const std::size_t mark = became_live_.size();
      inner[b] = plan_block(inner[b]);
      for (std::size_t k = mark; k < became_live_.size(); ++k) {
        ValueNote& value = values_[became_live_[k]];
        if (!value.live) continue;
        value.live = value.moves = false;
        needed[b].push_back(became_live_[k]);
        schedule_.blocks[inner[b]].departures.push_back({became_live_[k], schedule_.departure[became_live_[k]]});
        schedule_.departure[became_live_[k]] = step;
      }
      became_live_.resize(mark);
    }
    for (Var v : needed[0]) set_live(v);
    for (Var v : needed[1])
      if (!values_[v].live) schedule_.blocks[inner[0]].unneeded.push_back(v);
    for (Var v : needed[0]) values_[v].live = false;
    for (Var v : needed[1]) values_[v].live = true;
    for (Var v : needed[0])
      if (!values_[v].live) schedule_.blocks[inner[1]].unneeded.push_back(v);
    for (Var v : needed[0]) values_[v].live = true;
    for (Var v : schedule_.blocks[inner[0]].unneeded) became_live_.push_back(v);
    schedule_.steps[step].blocks = {inner[0], inner[1]};
  }

  const Program& program_;
  const Function& function_;
  const std::vector<bool>& effects_;
  Safety safety_;
  std::set<const Binding*> tail_calls_;
  std::vector<ValueNote> values_;
  std::vector<BlockNote> notes_;
  std::vector<Var> became_live_;  ///< in this order; some have been bound since
  int tree_depth_ = 0;
  Schedule schedule_;
};

}  // namespace

Schedule make_schedule(const Program& program, const Function& function, const ShapeFacts& lengths,
                       const std::vector<bool>& effects) {
  return Scheduler(program, function, lengths, effects).run();
}

}  // namespace vcode::letform

// Note [Schedules]
//
// A value costs nothing if it is computed just when its only use needs it on top of the stack. So bindings are
// arranged in trees: a binding that is used once runs in the middle of the operands of its user, between what lies
// below and what lies above it there. This is decided from the end of a block to its beginning, where everything
// that runs later is known. A binding can wait for its user
//   - if nothing but operands of that user would run in between. Then the order of the program stays as it was,
//     only copies of operands move in between; or
//   - if it has no effect, or the effects stay in order, and every value it uses is needed later anyway or is a
//     scalar. Then waiting does not keep a vector alive that could be gone.
// Short constants wait for each of their uses. Nothing else waits across the start or stop of a timer.
//
// Walking backwards also tells which use of a value is its last one. After an IF the values that either branch needs
// are live before it, and what only one of them needs is dropped by the other at once.
//
// Where a value is used several times within one tree, the first of these operands that stays where it is until the
// last has been computed gets the value itself, as it may be in its place already, and the others get copies.
