#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/stop_request.h"
#include "fcode-opt/passes.h"
#include "ir/walk.h"
#include "masks/lift_branches.h"
#include "masks/pack_branches.h"
#include "masks/repeat_steps.h"

namespace vcode::letform {
namespace {

using Form = Binding::Form;

/// Most arithmetic operations for each element that the steps before a call take together. A larger limit packs less,
/// and computes more for elements that have ended.
constexpr double kStepsCost = 128;
constexpr int kMostLoopSteps = 7;
/// Steps that a repeated kernel takes together. To see whether the loop goes on costs as much as a few operations: with
/// two steps of Horner's rule at a time a polynomial takes a sixth less time. Four steps are no faster.
constexpr int kRepeatedSteps = 2;

class MaskChooser {
 public:
  MaskChooser(Program& program, Masks masks, std::vector<std::string>& remarks)
      : program_(program), pool_(program), masks_(masks), remarks_(remarks) {}

  void run(Function& function) {
    function_ = &function;
    definitions_ = Definitions(function.values.size());
    for_each_binding(function.body, [&](const Binding& binding) { definitions_.note(binding); });
    renamed_.clear();
    visit(function.body);
  }

 private:
  void visit(Block& block) {
    std::vector<Binding>* const around = std::exchange(to_, &block.bindings);
    for (Binding& binding : std::exchange(block.bindings, {})) {
      rename(binding);
      if (binding.form == Form::kLiftedIf)
        choose(binding);
      else if (binding.form == Form::kSteps)
        take_steps(binding);
      else
        keep(std::move(binding));
    }
    rename(block.results);
    to_ = around;
  }

  void keep(Binding binding) {
    for (Block& block : binding.blocks) visit(block);
    to_->push_back(std::move(binding));
  }

  void choose(Binding& choice) {
    if (masks_ != Masks::kNone) {
      LiftBranches lifting(*function_, pool_, definitions_, kMaskCost + moving_cost(choice));
      try {
        const std::vector<Var> results = lifting.lift_conditional(choice);
        keep(lifting, choice.results, results);
        return remark(choice, fmt::format("the conditional is computed by masks: {} operations for each element",
                                          lifting.cost()));
      } catch (const Lifting::Failure& why) {
        remark(choice, "the conditional packs the elements of each branch: " + why.reason);
      }
    }
    for (Block& block : choice.blocks) visit(block);
    pack_branches(*function_, pool_, std::move(choice), *to_);
  }

  /// Cost of packing the vectors that branches read and of merging the results, in arithmetic operations for each
  /// element.
  static double moving_cost(const Binding& choice) {
    std::size_t moved = choice.results.size();
    const auto is_own = [&](Var flags) {
      return flags == choice.operands[kFlags] || flags == choice.operands[kOthers];
    };
    for (const Block& block : choice.blocks)
      for_each_binding(block, [&](const Binding& binding) {
        if (binding.form == Form::kOp && binding.op == Op::kPack && is_own(binding.operands[1])) ++moved;
      });
    return kMovingCost * static_cast<double>(moved);
  }

  void take_steps(Binding& steps) {
    if (masks_ == Masks::kNone) return rename(steps.results, steps.operands);
    const std::string& name = program_.sites[steps.site].message;
    if (masks_ == Masks::kLoops && repeat(steps))
      return remark(steps, fmt::format("the loop {} is repeated in a kernel", name));
    LiftBranches lifting(*function_, pool_, definitions_, kStepsCost);
    const Taken taken = take_steps(steps, steps.operands, kMostLoopSteps, lifting);
    keep(lifting, steps.results, taken.values);
    if (taken.steps > 0)
      remark(steps, fmt::format("the loop {} takes {} steps by masks before it packs again", name, taken.steps));
    else
      remark(steps, fmt::format("the loop {} packs the elements of each step: {}", name, taken.reason));
  }

  struct Taken {
    int steps = 0;
    std::vector<Var> values;  ///< and, if there are steps, whether the last one was taken
    std::string reason;       ///< why there are no more
  };
  /// Takes as many steps as their limits allow, or none.
  Taken take_steps(const Binding& steps, const std::vector<Var>& begin, int most, LiftBranches& lifting) {
    Taken taken{0, begin, {}};
    std::size_t made = 0;
    try {
      for (; taken.steps < most; ++taken.steps) {
        taken.values.resize(begin.size());
        taken.values = lifting.take_step(steps, taken.values);
        made = lifting.made().size();
      }
    } catch (const Lifting::Failure& why) {
      taken.reason = why.reason;
    }
    lifting.made().resize(made);
    return taken;
  }

  /// Makes a repeated kernel of a loop. False if its steps cannot be in a kernel.
  bool repeat(const Binding& steps) {
    std::vector<Var> state;
    for (Var v : steps.operands) {
      const Kind kind = function_->values[v].kind;
      state.push_back(static_cast<Var>(function_->values.size()));
      function_->values.push_back({kind});
    }
    definitions_.note({.form = Form::kCall, .results = state});
    LiftBranches lifting(*function_, pool_, definitions_, kStepsCost);
    const Taken taken = take_steps(steps, state, kRepeatedSteps, lifting);
    if (taken.steps == 0) return false;
    std::optional<std::vector<Binding>> made =
        repeat_steps(*function_, definitions_, lifting.made(), steps.operands, state, taken.values);
    if (!made) return false;
    std::move(made->begin(), made->end(), std::back_inserter(*to_));
    definitions_.note(to_->back());
    rename(steps.results, to_->back().results);
    return true;
  }

  void keep(Lifting& lifting, const std::vector<Var>& results, const std::vector<Var>& values) {
    std::move(lifting.made().begin(), lifting.made().end(), std::back_inserter(*to_));
    rename(results, values);
  }

  void rename(const std::vector<Var>& results, const std::vector<Var>& values) {
    for (std::size_t k = 0; k < results.size(); ++k) renamed_[results[k]] = values[k];  // of steps there is one more
  }

  void rename(Binding& binding) {
    if (renamed_.empty()) return;
    rename_uses(binding, [&](std::vector<Var>& values) { rename(values); });
    if (binding.form != Form::kLiftedIf && binding.form != Form::kSteps) return;
    // Their blocks are examined as a whole.
    for (Block& block : binding.blocks) {
      rename(block.results);
      for_each_binding(block, [&](Binding& inner) {
        rename_uses(inner, [&](std::vector<Var>& values) { rename(values); });
        for (Block& part : inner.blocks) rename(part.results);
      });
    }
  }
  void rename(std::vector<Var>& values) const {
    for (Var& v : values)
      if (const auto found = renamed_.find(v); found != renamed_.end()) v = found->second;
  }

  void remark(const Binding& binding, const std::string& text) {
    if (!may_fault(binding)) return;
    const Site& site = program_.sites[binding.site];
    if (site.line == 0) return;
    std::string line = fmt::format("{}:{}:{}: {}", site.file, site.line, site.column, text);
    if (std::find(remarks_.begin(), remarks_.end(), line) == remarks_.end()) remarks_.push_back(std::move(line));
  }

  Program& program_;
  ConstantPool pool_;
  const Masks masks_;
  std::vector<std::string>& remarks_;
  Function* function_ = nullptr;
  Definitions definitions_{0};
  std::unordered_map<Var, Var> renamed_;
  std::vector<Binding>* to_ = nullptr;  ///< the block being written
};

}  // namespace

/// Replaces lifted conditionals and steps of loops, as the NESL compiler emits them. With masks, a conditional whose
/// branches are straight-line code within kMaskCost and moving_cost() is computed for all elements, with all
/// conditionals in it:
///   before:  d = LIFTED IF f g u s t m   THEN a, v = PACK x f u   b = / INT a a   yield b   ELSE yield y
///   after:   b = / INT x (SELECT INT f x 1)   d = SELECT INT f b y
/// Steps of a loop are taken between the packed arguments and the call, up to kMostLoopSteps. An element that has ended
/// keeps its arguments, so each further step computes the same for it: no new fault can arise, and the call takes the
/// same way out. With loops, such steps become a repeated kernel (repeat_steps()), which may take them all. Other
/// conditionals pack the elements of each branch (pack_branches()), and other steps are not taken.
/// O(n d) for conditionals nested d deep.
void choose_masks(Program& program, Masks masks, std::vector<std::string>& remarks) {
  MaskChooser chooser(program, masks, remarks);
  for (Function& function : program.functions) {
    base::check_stop();
    chooser.run(function);
  }
}

}  // namespace vcode::letform
