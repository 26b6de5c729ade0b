#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "verify_loop.h"

namespace kernels {

using vcode::Op;
using vcode::Suffix;

namespace {

using Linear = Loop::Linear;
using Interior = Loop::Interior;
using Relation = Interior::Relation;

/// a + times * b, with terms in the order of values.
Linear sum(Linear a, const Linear& b, int times) {
  for (const Linear::Term& term : b.terms) a.terms.push_back({term.value, times * term.times});
  std::ranges::sort(a.terms, {}, &Linear::Term::value);
  std::vector<Linear::Term> terms;
  for (const Linear::Term& term : a.terms) {
    if (terms.empty() || terms.back().value != term.value)
      terms.push_back(term);
    else
      terms.back().times += term.times;
  }
  std::erase_if(terms, [](const Linear::Term& term) { return term.times == 0; });
  return {std::move(terms), a.constant + times * b.constant, a.slope + times * b.slope};
}

bool is_equal(const Linear& a, const Linear& b) { return sum({}, a, 1) == sum({}, b, 1); }

/// Derives again which bounds make the flags of the interior known, keep its indices within their tables and its
/// steps free of faults, and looks for them in the plan.
class InteriorVerifier {
 public:
  InteriorVerifier(const LoopPlan& plan, const Loop& loop, PlanMistake& mistake)
      : plan_(plan),
        loop_(loop),
        interior_(*loop.interior),
        mistake_(mistake),
        inputs_(plan.values.size()),
        steps_(plan.values.size()),
        tables_(plan.values.size(), -1),
        linear_(plan.values.size()),
        is_linear_known_(plan.values.size()),
        can_be_term_(plan.values.size()) {
    for (const Loop::Input& input : loop.inputs) inputs_[input.value] = &input;
    for (const vcode::Kernel::Step* step : loop.steps) steps_[step->results[0]] = step;
    for (const Loop::Gather& gather : loop.gathers) tables_[gather.step->results[0]] = gather.table;
  }

  void run() {
    mistake_.expect(loop_.has_nest(), "a loop without a nest has an interior");
    mistake_.expect(!interior_.runs.empty(), "the interior reads no runs");
    for (const auto verify : {&InteriorVerifier::terms, &InteriorVerifier::conditions, &InteriorVerifier::flags,
                              &InteriorVerifier::choices, &InteriorVerifier::gathers, &InteriorVerifier::faultless})
      if (!mistake_.found()) (this->*verify)();
  }

 private:
  std::string name(KernelVar v) const { return mistake_.name(v); }
  const vcode::Kernel::Step* step_of(KernelVar v, Op op) const {
    return v < steps_.size() && steps_[v] != nullptr && steps_[v]->op == op ? steps_[v] : nullptr;
  }
  bool is_int(KernelVar v) const { return plan_.kernel.values[v].kind == vcode::Kind::kInt; }
  template <class Parts>
  static bool has_result(const Parts& parts, KernelVar v) {
    return std::ranges::any_of(parts, [&](const auto& part) { return part.result == v; });
  }

  /// All terms are known where they are read: inputs; constants, which are read in order; choices, which are made when
  /// they are needed. Slopes are those of which code computes the first element behind a bound.
  void terms() {
    for (const Loop::Input& input : loop_.inputs)
      can_be_term_[input.value] = is_int(input.value) && (input.access == Loop::Access::kSpread ||
                                                         input.access == Loop::Access::kProgression);
    allow_choices();
    for (const Interior::Gather& constant : interior_.constants) {
      expect_terms(constant.index);
      if (!expect_gather(constant)) return;
      can_be_term_[constant.result] = is_int(constant.result);
      allow_choices();
    }
    for (const Interior::Choice& choice : interior_.choices)
      for (const Linear* linear : {&choice.condition, &choice.if_true, &choice.if_false}) expect_terms(*linear);
    for (const Interior::Bound& bound : interior_.bounds) {
      expect_terms(bound.value);
      mistake_.expect(bound.relation != Relation::kIsInt || !bound.value.terms.empty(),
                      "the type of a number without terms is bounded");
    }
    for (const Interior::Gather& run : interior_.runs) {
      expect_terms(run.index);
      if (!expect_gather(run)) return;
    }
  }

  /// Choices whose terms are known are terms.
  void allow_choices() {
    const auto is_known = [&](const Linear::Term& term) {
      return term.value < can_be_term_.size() && can_be_term_[term.value];
    };
    for (const Interior::Choice& choice : interior_.choices) {
      const bool known = std::ranges::all_of(
          std::array{&choice.condition, &choice.if_true, &choice.if_false},
          [&](const Linear* linear) { return std::ranges::all_of(linear->terms, is_known); });
      if (known && choice.result < can_be_term_.size()) can_be_term_[choice.result] = is_int(choice.result);
    }
  }

  void expect_terms(const Linear& linear) {
    for (const Linear::Term& term : linear.terms)
      mistake_.expect(term.value < can_be_term_.size() && can_be_term_[term.value],
                      "the interior depends on {} before it is known", name(term.value));
    mistake_.expect(linear.slope >= -1 && linear.slope <= 1, "a bound of the interior has slope {}", linear.slope);
  }

  bool expect_gather(const Interior::Gather& gather) {
    const bool exists = gather.result < tables_.size() && gather.table >= 0;
    return mistake_.expect(exists && tables_[gather.result] == gather.table, "the interior reads {} from another table",
                           name(gather.result));
  }

  void conditions() {
    for (const Interior::Flag& condition : interior_.conditions) {
      const Loop::Input* const input = condition.flag < inputs_.size() ? inputs_[condition.flag] : nullptr;
      mistake_.expect(input != nullptr && input->access == Loop::Access::kSpread &&
                          plan_.values[condition.flag].type == ElemType::kB8,
                      "the condition {} is not a BOOL of the segment", name(condition.flag));
    }
  }

  void flags() {
    for (const Interior::Flag& flag : interior_.flags)
      mistake_.expect(flag.flag < steps_.size() && follows(flag), "the bounds do not imply that {} is {}",
                      name(flag.flag), flag.value);
  }

  bool is_known(KernelVar flag, bool value) const { return interior_.known(flag) == value; }

  /// Whether bounds, conditions and other flags imply the value of a flag.
  bool follows(const Interior::Flag& flag) {
    const auto is_condition = [&](const Interior::Flag& condition) {
      return condition.flag == flag.flag && condition.value == flag.value;
    };
    const vcode::Kernel::Step* const step = steps_[flag.flag];
    if (step == nullptr) return std::ranges::any_of(interior_.conditions, is_condition);
    const std::vector<KernelVar>& operands = step->operands;
    if (step->suffix == Suffix::kBool) {
      if (step->op == Op::kNot) return is_known(operands[0], !flag.value);
      return step->op == (flag.value ? Op::kAnd : Op::kOr) && is_known(operands[0], flag.value) &&
             is_known(operands[1], flag.value);
    }
    if (step->suffix != Suffix::kInt) return false;
    if (const std::optional<Order> order = order_of(*step, flag.value)) return is_bounded(distance(*order));
    return step->op == (flag.value ? Op::kNotEqual : Op::kEqual) &&
           is_bounded(distance({operands[1], operands[0], 0}), Relation::kNotZero);
  }

  /// a + least <= b
  struct Order {
    KernelVar a, b;
    int least;
  };
  static std::optional<Order> order_of(const vcode::Kernel::Step& step, bool value) {
    const bool is_less = step.op == (value ? Op::kLess : Op::kGreaterEqual),
               is_at_most = step.op == (value ? Op::kLessEqual : Op::kGreater),
               is_greater = step.op == (value ? Op::kGreater : Op::kLessEqual),
               is_at_least = step.op == (value ? Op::kGreaterEqual : Op::kLess);
    if (step.suffix != Suffix::kInt || step.operands.size() != 2) return {};
    const KernelVar a = step.operands[0], b = step.operands[1];
    if (is_less || is_at_most) return Order{a, b, is_less ? 1 : 0};
    if (is_greater || is_at_least) return Order{b, a, is_greater ? 1 : 0};
    return {};
  }

  /// b - a - least, if neither a nor b overflows in the interior.
  std::optional<Linear> distance(const Order& order) {
    const std::optional<Linear> a = linear(order.a), b = linear(order.b);
    if (!a || !b || !is_exact(*a) || !is_exact(*b)) return {};
    Linear difference = sum(*b, *a, -1);
    difference.constant -= order.least;
    return difference;
  }
  /// Whether the number is an INT, and not only equal to one after an overflow.
  bool is_exact(const Linear& linear) const {
    const bool is_term = linear.terms.size() == 1 && linear.terms[0].times == 1 && linear.constant == 0;
    const bool is_nothing = linear.terms.empty() && linear.constant == 0;
    return (linear.slope == 0 && (is_term || is_nothing)) || is_bounded(linear, Relation::kIsInt);
  }

  bool is_bounded(const std::optional<Linear>& value, Relation relation = Relation::kNotNegative) const {
    return value && std::ranges::any_of(interior_.bounds, [&](const Interior::Bound& bound) {
      return bound.relation == relation && is_equal(bound.value, *value);
    });
  }

  /// An INT of the interior as a linear value, which the flags, choices and constants of the plan make it.
  const std::optional<Linear>& linear(KernelVar v) {
    if (!is_linear_known_[v]) {
      linear_[v] = derive(v);
      is_linear_known_[v] = true;
    }
    return linear_[v];
  }

  std::optional<Linear> derive(KernelVar v) {
    if (const Loop::Input* const input = inputs_[v]) {
      if (!can_be_term_[v]) return {};
      return Linear{{{v, 1}}, 0, input->access == Loop::Access::kProgression ? 1 : 0};
    }
    if (has_result(interior_.constants, v)) return Linear{{{v, 1}}, 0, 0};
    const auto choice = std::ranges::find(interior_.choices, v, &Interior::Choice::result);
    if (choice != interior_.choices.end()) return Linear{{{v, 1}}, 0, choice->if_true.slope};
    const vcode::Kernel::Step* const step = steps_[v];
    if (step == nullptr || (step->suffix != Suffix::kInt && step->suffix != Suffix::kNone)) return {};
    const std::vector<KernelVar>& operands = step->operands;
    switch (step->op) {
      case Op::kAdd:
      case Op::kSubtract: {
        const std::optional<Linear> a = linear(operands[0]), b = linear(operands[1]);
        if (!a || !b) return {};
        return sum(*a, *b, step->op == Op::kAdd ? 1 : -1);
      }
      case Op::kSelect: {
        const std::optional<bool> flag = interior_.known(operands[0]);
        if (!flag) return {};
        return linear(operands[*flag ? 1 : 2]);
      }
      case Op::kBound:
      case Op::kRequire:
        if (std::ranges::count(interior_.faultless, v) == 0) return {};
        return linear(operands[1]);
      default:
        return {};
    }
  }

  void choices() {
    for (const Interior::Choice& choice : interior_.choices) {
      const vcode::Kernel::Step* const select = step_of(choice.result, Op::kSelect);
      if (!mistake_.expect(select != nullptr, "{} is chosen by no SELECT", name(choice.result))) return;
      const vcode::Kernel::Step* const flag = steps_[select->operands[0]];
      const std::optional<Order> order = flag != nullptr ? order_of(*flag, true) : std::nullopt;
      const std::optional<Linear> condition = order ? distance(*order) : std::nullopt,
                                  if_true = linear(select->operands[1]), if_false = linear(select->operands[2]);
      mistake_.expect(condition && condition->slope != 0 && is_equal(*condition, choice.condition) && if_true &&
                          is_equal(*if_true, choice.if_true) && if_false && is_equal(*if_false, choice.if_false) &&
                          if_true->slope == if_false->slope,
                      "{} is chosen otherwise than by its SELECT", name(choice.result));
    }
  }

  /// The value of a gather's flags: true if it has none.
  std::optional<bool> flags_of(KernelVar gather) const {
    const int flags = vcode::flags_of(steps_[gather]->op);
    return flags < 0 ? true : interior_.known(steps_[gather]->operands[static_cast<std::size_t>(flags)]);
  }

  /// Indices are those of the gathers. Code keeps them within their tables.
  void gathers() {
    const auto is_index = [&](const Interior::Gather& gather) {
      const std::optional<Linear> index = linear(steps_[gather.result]->operands[1]);
      mistake_.expect(index && is_equal(*index, gather.index), "the interior reads {} at another index",
                      name(gather.result));
    };
    for (const Interior::Gather& constant : interior_.constants) {
      is_index(constant);
      mistake_.expect(constant.index.slope == 0, "{} is not the same in a segment", name(constant.result));
      mistake_.expect(flags_of(constant.result) == true, "{} is read although its flag may be false",
                      name(constant.result));
    }
    for (const Interior::Gather& run : interior_.runs) {
      is_index(run);
      mistake_.expect(flags_of(run.result) != false, "{} is read although its flag is false", name(run.result));
    }
  }

  void faultless() {
    for (const KernelVar v : interior_.faultless) {
      bool has_no_fault = false;
      if (const vcode::Kernel::Step* const bound = step_of(v, Op::kBound)) {
        const std::optional<Linear> index = linear(bound->operands[1]);
        has_no_fault = is_bounded(index) && is_bounded(distance({bound->operands[1], bound->operands[0], 1}));
      } else if (const vcode::Kernel::Step* const require = step_of(v, Op::kRequire)) {
        has_no_fault = is_known(require->operands[2], true);
      }
      mistake_.expect(has_no_fault, "the bounds do not imply that {} has no fault", name(v));
    }
  }

  const LoopPlan& plan_;
  const Loop& loop_;
  const Interior& interior_;
  PlanMistake& mistake_;
  // By value:
  std::vector<const Loop::Input*> inputs_;
  std::vector<const vcode::Kernel::Step*> steps_;
  std::vector<int> tables_;  ///< of gathers; -1 for others
  std::vector<std::optional<Linear>> linear_;
  std::vector<bool> is_linear_known_;
  std::vector<bool> can_be_term_;  ///< while terms() runs: it is known by then
};

}  // namespace

void verify_interior(const LoopPlan& plan, const Loop& loop, PlanMistake& mistake) {
  InteriorVerifier(plan, loop, mistake).run();
}

}  // namespace kernels
