#include "masks/repeat_steps.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ir/make_kernel.h"
#include "ir/walk.h"
#include "vcode/kernel_rules.h"

namespace vcode::letform {

namespace {

using Form = Binding::Form;

class Repeater {
 public:
  Repeater(Function& function, const Definitions& definitions) : function_(function), definitions_(definitions) {}

  std::optional<std::vector<Binding>> repeat(const std::vector<Binding>& made, const std::vector<Var>& initial,
                                             const std::vector<Var>& state, const std::vector<Var>& next) {
    kernel_.operands = initial;
    kernel_.state = state;
    inside_.insert(state.begin(), state.end());
    for (const Binding& binding : made) {
      if (!depends_on_state(binding.operands))
        outside_.push_back(binding);
      else if (!add_step(binding))
        return std::nullopt;
    }
    kernel_.blocks[0].results = next;
    for (Var v : next) {
      if (!computed_.insert(v).second || !inside_.contains(v) || std::ranges::count(state, v) > 0) return std::nullopt;
      kernel_.results.push_back(new_value(v));
    }
    if (!is_over_known_ || !look_at(make_kernel(function_, kernel_)).error.empty()) return std::nullopt;
    outside_.push_back(std::move(kernel_));
    return std::move(outside_);
  }

 private:
  bool depends_on_state(const std::vector<Var>& values) const {
    return std::ranges::any_of(values, [&](Var v) { return inside_.contains(v); });
  }

  /// Adds a step. False if it cannot be in a kernel.
  bool add_step(const Binding& binding) {
    if (binding.form != Form::kOp || depends_on_state(binding.nest)) return false;
    Binding step = binding;
    for (std::size_t k = 0; k < step.operands.size(); ++k) {
      step.operands[k] = inside(binding.operands[k]);
      go_over(step, k);
    }
    append(std::move(step));
    return true;
  }

  void append(Binding step) {
    inside_.insert(step.results.begin(), step.results.end());
    include_nest(kernel_, step);
    kernel_.blocks[0].bindings.push_back(std::move(step));
  }

  /// Name of a value inside the kernel, which computes constants and their DISTs itself.
  Var inside(Var v) {
    if (inside_.contains(v)) return v;
    if (const auto known = copies_.find(v); known != copies_.end()) return known->second;
    const Definitions::Definition made = definitions_.of(v);
    Binding copy{.form = made.form, .op = made.op, .suffix = made.suffix, .target = made.target};
    if (definitions_.is_op(v, Op::kDist)) {
      copy.operands = {inside(made.operands[0]), operand(made.operands[1])};
      go_over(copy, 1);
    } else if (made.form != Form::kConst || !function_.values[v].scalar) {
      return operand(v);
    }
    copy.results = {new_value(v)};
    append(copy);
    return copies_[v] = copy.results[0];
  }

  Var operand(Var v) {
    const auto others = kernel_.operands.begin() + static_cast<std::ptrdiff_t>(kernel_.state.size());
    if (std::find(others, kernel_.operands.end(), v) == kernel_.operands.end()) kernel_.operands.push_back(v);
    return v;
  }

  /// Chooses the index space: a descriptor if there is one, since its length is known at no cost.
  void go_over(const Binding& step, std::size_t k) {
    const Var v = step.operands[k];
    if (!goes_over(step.op, static_cast<int>(k)) || is_over_descriptor_) return;
    const auto in_state = std::ranges::find(kernel_.state, v);
    if (in_state != kernel_.state.end()) {
      kernel_.target = static_cast<std::uint32_t>(in_state - kernel_.state.begin());
      is_over_known_ = true;
    } else if (function_.values[v].kind == Kind::kSegdes) {
      kernel_.target = static_cast<std::uint32_t>(std::ranges::find(kernel_.operands, v) - kernel_.operands.begin());
      is_over_known_ = is_over_descriptor_ = true;
    }
  }

  Var new_value(Var like) {
    const ValueInfo value = function_.values[like];
    function_.values.push_back(value);
    return static_cast<Var>(function_.values.size() - 1);
  }

  Function& function_;
  const Definitions& definitions_;
  std::vector<Binding> outside_;
  Binding kernel_{.form = Form::kFused, .blocks = {{}}};
  std::unordered_set<Var> inside_;    ///< values of the kernel
  std::unordered_set<Var> computed_;  ///< next values
  std::unordered_map<Var, Var> copies_;
  bool is_over_known_ = false, is_over_descriptor_ = false;
};

}  // namespace

std::optional<std::vector<Binding>> repeat_steps(Function& function, const Definitions& definitions,
                                                 const std::vector<Binding>& made, const std::vector<Var>& initial,
                                                 const std::vector<Var>& state, const std::vector<Var>& next) {
  return Repeater(function, definitions).repeat(made, initial, state, next);
}

}  // namespace vcode::letform
