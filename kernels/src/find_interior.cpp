#include "find_interior.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "vcode/kernel_rules.h"

namespace kernels {

using vcode::Op;
using vcode::Suffix;

namespace {

using Linear = Loop::Linear;
using Relation = Loop::Interior::Relation;

/// Most values that are looked at: those that are not linear are looked at again for each of their uses.
constexpr int kMostVisits = 4096;
/// Most terms of a linear value.
constexpr std::size_t kMostTerms = 8;

bool is_steep(const Linear& linear) { return linear.slope < -1 || linear.slope > 1; }

/// a + times * b
Linear sum(Linear a, const Linear& b, int times) {
  for (const Linear::Term& term : b.terms) {
    const auto same = std::ranges::find(a.terms, term.value, &Linear::Term::value);
    if (same == a.terms.end())
      a.terms.push_back({term.value, times * term.times});
    else
      same->times += times * term.times;
  }
  std::erase_if(a.terms, [](const Linear::Term& term) { return term.times == 0; });
  a.constant += times * b.constant;
  a.slope += times * b.slope;
  return a;
}

class InteriorFinder {
 public:
  InteriorFinder(const Loop& loop, std::size_t values)
      : loop_(loop), inputs_(values), steps_(values), tables_(values), linear_(values) {
    for (const Loop::Input& input : loop.inputs) inputs_[input.value] = &input;
    for (const vcode::Kernel::Step* step : loop.steps)
      for (const KernelVar v : step->results) steps_[v] = step;
    for (const Loop::Gather& gather : loop.gathers) tables_[gather.step->results[0]] = gather.table;
  }

  std::optional<Loop::Interior> find() {
    for (const auto& [gather, table] : loop_.gathers)
      if (is_flagged(*gather) && is_linear(gather->operands[1])) make_known(gather->operands[2], true);
    for (const auto& [gather, table] : loop_.gathers) {
      if (flags_of(*gather) == false) continue;
      const KernelVar result = gather->results[0];
      const Mark before = mark();
      if (linear(result)) continue;  // the same element in the segment
      std::optional<Linear> index = linear(gather->operands[1]);
      if (index && !is_steep(*index))
        found_.runs.push_back({result, table, std::move(*index)});
      else
        go_back_to(before);
    }
    if (found_.runs.empty()) return {};
    return std::move(found_);
  }

 private:
  static bool gathers(const vcode::Kernel::Step& step) {
    return vcode::producer_of(step.op) == vcode::Producer::kGather;
  }
  static bool is_flagged(const vcode::Kernel::Step& gather) {
    return vcode::has_flags(gather.op);
  }
  /// The value of a gather's flags, if it is known: true if it has none.
  std::optional<bool> flags_of(const vcode::Kernel::Step& gather) const {
    return is_flagged(gather) ? found_.known(gather.operands[2]) : true;
  }

  /// A position to which the search returns if it fails.
  struct Mark {
    std::size_t conditions, constants, choices, bounds, flags, faultless, known;
  };
  Mark mark() const {
    return {found_.conditions.size(), found_.constants.size(), found_.choices.size(), found_.bounds.size(), found_.flags.size(),
            found_.faultless.size(), known_.size()};
  }
  void go_back_to(const Mark& mark) {
    found_.conditions.resize(mark.conditions);
    found_.constants.resize(mark.constants);
    found_.choices.resize(mark.choices);
    found_.bounds.resize(mark.bounds);
    found_.flags.resize(mark.flags);
    found_.faultless.resize(mark.faultless);
    for (; known_.size() > mark.known; known_.pop_back()) linear_[known_.back()].reset();
  }

  bool is_linear(KernelVar v) {
    const Mark before = mark();
    const bool is = linear(v).has_value();
    go_back_to(before);
    return is;
  }

  /// An INT as a linear value, under the conditions of the interior, to which some may be added.
  std::optional<Linear> linear(KernelVar v) {
    if (--visits_ < 0) return {};
    if (const Loop::Input* input = inputs_[v]) {
      if (input->access == Loop::Access::kSpread) return Linear{{{v, 1}}, 0, 0};
      if (input->access == Loop::Access::kProgression) return Linear{{{v, 1}}, 0, 1};
      return {};
    }
    const vcode::Kernel::Step* step = steps_[v];
    if (step == nullptr || (step->suffix != Suffix::kInt && step->suffix != Suffix::kNone)) return {};
    if (linear_[v]) return linear_[v];
    const Mark before = mark();
    std::optional<Linear> value = gathers(*step) ? constant(*step) : computed(*step);
    if (!value) {
      go_back_to(before);
      return {};
    }
    known_.push_back(v);
    return linear_[v] = std::move(value);
  }

  std::optional<Linear> computed(const vcode::Kernel::Step& step) {
    switch (step.op) {
      case Op::kAdd:
      case Op::kSubtract: {
        const std::optional<Linear> a = linear(step.operands[0]), b = a ? linear(step.operands[1]) : std::nullopt;
        if (!b || a->terms.size() + b->terms.size() > kMostTerms) return {};
        return sum(*a, *b, step.op == Op::kAdd ? 1 : -1);
      }
      case Op::kSelect:
        return selected(step);
      case Op::kBound: {
        const std::optional<Linear> index = linear(step.operands[1]);
        if (!index || is_steep(*index)) return {};
        std::optional<Linear> room = distance({step.operands[1], step.operands[0], 1});
        if (!room) return {};
        add({*index, Relation::kNotNegative});
        add({std::move(*room), Relation::kNotNegative});
        found_.faultless.push_back(step.results[0]);
        return index;
      }
      case Op::kRequire: {
        const std::optional<Linear> value = linear(step.operands[1]);
        if (!value || !make_known(step.operands[2], true)) return {};
        found_.faultless.push_back(step.results[0]);
        return value;
      }
      default:
        return {};
    }
  }

  /// A selected value: in the longer part if both operands change, otherwise in the part in which the operand is
  /// selected that changes.
  std::optional<Linear> selected(const vcode::Kernel::Step& select) {
    const KernelVar flag = select.operands[0];
    if (const std::optional<bool> value = found_.known(flag)) return linear(select.operands[*value ? 1 : 2]);
    if (std::optional<Linear> chosen = choice(select)) return chosen;
    for (const bool value : {true, false}) {
      const Mark before = mark();
      const std::optional<Linear> operand = linear(select.operands[value ? 1 : 2]);
      if (operand && operand->slope != 0 && make_known(flag, value)) return operand;
      go_back_to(before);
    }
    return {};
  }

  std::optional<Linear> choice(const vcode::Kernel::Step& select) {
    const Mark before = mark();
    std::optional<Linear> a = linear(select.operands[1]), b = linear(select.operands[2]);
    const vcode::Kernel::Step* flag = steps_[select.operands[0]];
    if (a && b && flag != nullptr && a->slope == b->slope && a->slope != 0 && !is_steep(*a)) {
      const std::optional<Order> order = order_of(*flag, true);
      std::optional<Linear> condition = order ? distance(*order) : std::nullopt;
      if (condition && condition->slope != 0) {
        const KernelVar result = select.results[0];
        const int slope = a->slope;
        found_.choices.push_back({result, std::move(*condition), std::move(*a), std::move(*b)});
        return Linear{{{result, 1}}, 0, slope};
      }
    }
    go_back_to(before);
    return {};
  }

  /// A gathered element that is the same in the segment.
  std::optional<Linear> constant(const vcode::Kernel::Step& gather) {
    if (flags_of(gather) != true) return {};
    std::optional<Linear> index = linear(gather.operands[1]);
    if (!index || index->slope != 0) return {};
    const KernelVar result = gather.results[0];
    found_.constants.push_back({result, tables_[result], std::move(*index)});
    return Linear{{{result, 1}}, 0, 0};
  }

  /// Restricts the interior to elements for which a flag has a value, if comparisons of linear values decide that.
  bool make_known(KernelVar flag, bool value) {
    if (--visits_ < 0) return false;
    if (const std::optional<bool> is = found_.known(flag)) return *is == value;
    const vcode::Kernel::Step* step = steps_[flag];
    if (step != nullptr && !decide(*step, value)) return false;
    if (step == nullptr) {
      if (inputs_[flag] == nullptr || inputs_[flag]->access != Loop::Access::kSpread) return false;
      found_.conditions.push_back({flag, value});
    }
    found_.flags.push_back({flag, value});
    return true;
  }

  bool decide(const vcode::Kernel::Step& step, bool value) {
    const auto operand = [&](std::size_t k) { return step.operands[k]; };
    if (step.suffix == Suffix::kBool) {
      if (step.op == Op::kNot) return make_known(operand(0), !value);
      if (step.op != (value ? Op::kAnd : Op::kOr)) return false;
      const bool first = make_known(operand(0), value), second = make_known(operand(1), value);
      return first && second;
    }
    if (step.suffix != Suffix::kInt) return false;
    if (const std::optional<Order> order = order_of(step, value)) {
      std::optional<Linear> difference = distance(*order);
      if (difference) add({std::move(*difference), Relation::kNotNegative});
      return difference.has_value();
    }
    if (step.op != (value ? Op::kNotEqual : Op::kEqual)) return false;
    std::optional<Linear> difference = distance({operand(1), operand(0), 0});
    if (difference) add({std::move(*difference), Relation::kNotZero});
    return difference.has_value();
  }

  /// That a + least <= b.
  struct Order {
    KernelVar a, b;
    int least;
  };
  /// The order of INTs that holds if a comparison has a value.
  static std::optional<Order> order_of(const vcode::Kernel::Step& step, bool value) {
    if (step.suffix != Suffix::kInt) return {};
    const KernelVar a = step.operands[0], b = step.operands.back();
    switch (step.op) {
      case Op::kLess:
        return value ? Order{a, b, 1} : Order{b, a, 0};
      case Op::kLessEqual:
        return value ? Order{a, b, 0} : Order{b, a, 1};
      case Op::kGreater:
        return value ? Order{b, a, 1} : Order{a, b, 0};
      case Op::kGreaterEqual:
        return value ? Order{b, a, 0} : Order{a, b, 1};
      default:
        return {};
    }
  }

  /// b - a - least, which is not negative where the order holds. Restricts the interior to elements for which a and b
  /// do not overflow.
  std::optional<Linear> distance(const Order& order) {
    const Mark before = mark();
    const std::optional<Linear> a = linear(order.a), b = linear(order.b);
    if (a && b && !is_steep(*a) && !is_steep(*b) && a->terms.size() + b->terms.size() <= kMostTerms) {
      Linear difference = sum(*b, *a, -1);
      difference.constant -= order.least;
      if (!is_steep(difference)) {
        for (const Linear& operand : {*b, *a}) add({operand, Relation::kIsInt});
        return difference;
      }
    }
    go_back_to(before);
    return {};
  }

  void add(Loop::Interior::Bound bound) {
    // An INT itself is one.
    const Linear& value = bound.value;
    if (bound.relation == Relation::kIsInt && value.slope == 0 && value.constant == 0 && value.terms.size() <= 1 &&
        std::ranges::all_of(value.terms, [](const Linear::Term& term) { return term.times == 1; }))
      return;
    if (!std::ranges::count(found_.bounds, bound)) found_.bounds.push_back(std::move(bound));
  }

  const Loop& loop_;
  std::vector<const Loop::Input*> inputs_;
  std::vector<const vcode::Kernel::Step*> steps_;
  std::vector<int> tables_;  ///< of gathers, by their results
  Loop::Interior found_;
  std::vector<std::optional<Linear>> linear_;  ///< the values that were found to be linear
  std::vector<KernelVar> known_;               ///< which these are, in the order in which they were found
  int visits_ = kMostVisits;
};

}  // namespace

std::optional<Loop::Interior> find_interior(const Loop& loop, std::size_t values) {
  if (loop.gathers.empty() || !loop.has_nest()) return {};
  return InteriorFinder(loop, values).find();
}

}  // namespace kernels
