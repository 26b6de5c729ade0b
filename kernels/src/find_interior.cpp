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

/// Most values that are looked at: programs share operands, so that a search could take exponential time.
constexpr int kMostVisits = 512;
/// Most terms of a linear value.
constexpr std::size_t kMostTerms = 8;

bool is_steep(const Linear& linear) { return linear.slope < -1 || linear.slope > 1; }

/// a + times * b
Linear sum(Linear a, const Linear& b, int times) {
  for (const Linear::Term& term : b.terms) {
    const auto same = std::ranges::find(a.terms, term.input, &Linear::Term::input);
    if (same == a.terms.end())
      a.terms.push_back({term.input, times * term.times});
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
  InteriorFinder(const Loop& loop, std::size_t values) : loop_(loop), inputs_(values), steps_(values) {
    for (const Loop::Input& input : loop.inputs) inputs_[input.value] = &input;
    for (const vcode::Kernel::Step* step : loop.steps)
      for (const KernelVar v : step->results) steps_[v] = step;
  }

  std::optional<Loop::Interior> find() {
    for (const vcode::Kernel::Step* gather : gathers())
      if (is_flagged(*gather) && linear(gather->operands[1])) make_known(gather->operands[2], true);
    int table = 0;
    for (const vcode::Kernel::Step* gather : gathers()) {
      const std::optional<bool> reads = is_flagged(*gather) ? found_.known(gather->operands[2]) : true;
      std::optional<Linear> index = reads == false ? std::nullopt : linear(gather->operands[1]);
      if (index && !is_steep(*index)) found_.runs.push_back({table, std::move(*index)});
      ++table;
    }
    if (found_.runs.empty()) return {};
    return std::move(found_);
  }

 private:
  static bool is_flagged(const vcode::Kernel::Step& gather) {
    return vcode::info(gather.op).signature.operands[2].type == vcode::RoleType::kBool;
  }

  std::vector<const vcode::Kernel::Step*> gathers() const {
    std::vector<const vcode::Kernel::Step*> gathers;
    for (const vcode::Kernel::Step* step : loop_.steps)
      if (vcode::producer_of(step->op) == vcode::Producer::kGather) gathers.push_back(step);
    return gathers;
  }

  /// A position to which the search returns if it fails.
  struct Mark {
    std::size_t bounds, flags;
  };
  Mark mark() const { return {found_.bounds.size(), found_.flags.size()}; }
  void go_back_to(const Mark& mark) {
    found_.bounds.resize(mark.bounds);
    found_.flags.resize(mark.flags);
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
    if (step == nullptr || step->suffix != Suffix::kInt) return {};
    switch (step->op) {
      case Op::kAdd:
      case Op::kSubtract: {
        const std::optional<Linear> a = linear(step->operands[0]), b = linear(step->operands[1]);
        if (!a || !b || a->terms.size() + b->terms.size() > kMostTerms) return {};
        return sum(*a, *b, step->op == Op::kAdd ? 1 : -1);
      }
      case Op::kSelect:
        return selected(*step);
      default:
        return {};
    }
  }

  /// A selected value, in the part in which the operand is selected that changes.
  std::optional<Linear> selected(const vcode::Kernel::Step& select) {
    const KernelVar flag = select.operands[0];
    if (const std::optional<bool> value = found_.known(flag)) return linear(select.operands[*value ? 1 : 2]);
    for (const bool value : {true, false}) {
      const Mark before = mark();
      const std::optional<Linear> operand = linear(select.operands[value ? 1 : 2]);
      if (operand && operand->slope != 0 && make_known(flag, value)) return operand;
      go_back_to(before);
    }
    return {};
  }

  /// Restricts the interior to elements for which a flag has a value, if comparisons of linear values decide that.
  bool make_known(KernelVar flag, bool value) {
    if (--visits_ < 0) return false;
    if (const std::optional<bool> is = found_.known(flag)) return *is == value;
    const vcode::Kernel::Step* step = steps_[flag];
    if (step == nullptr || !decide(*step, value)) return false;
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
    switch (step.op) {
      case Op::kLess:
        return value ? precedes(operand(0), operand(1), 1) : precedes(operand(1), operand(0), 0);
      case Op::kLessEqual:
        return value ? precedes(operand(0), operand(1), 0) : precedes(operand(1), operand(0), 1);
      case Op::kGreater:
        return value ? precedes(operand(1), operand(0), 1) : precedes(operand(0), operand(1), 0);
      case Op::kGreaterEqual:
        return value ? precedes(operand(1), operand(0), 0) : precedes(operand(0), operand(1), 1);
      case Op::kEqual:
        return !value && relate(operand(0), operand(1), Relation::kNotZero, 0);
      case Op::kNotEqual:
        return value && relate(operand(0), operand(1), Relation::kNotZero, 0);
      default:
        return false;
    }
  }

  /// Restricts the interior to elements for which a + least <= b.
  bool precedes(KernelVar a, KernelVar b, int least) { return relate(b, a, Relation::kNotNegative, -least); }

  /// Restricts the interior to elements for which the relation holds for a - b + constant.
  bool relate(KernelVar a, KernelVar b, Relation relation, int constant) {
    const Mark before = mark();
    const std::optional<Linear> x = linear(a), y = linear(b);
    if (x && y && !is_steep(*x) && !is_steep(*y) && x->terms.size() + y->terms.size() <= kMostTerms) {
      Linear difference = sum(*x, *y, -1);
      difference.constant += constant;
      if (!is_steep(difference)) {
        // The comparison is one of INTs, which overflow.
        for (const Linear& operand : {*x, *y})
          if (operand.terms.size() > 1 || operand.slope != 0) add({operand, Relation::kIsInt});
        add({std::move(difference), relation});
        return true;
      }
    }
    go_back_to(before);
    return false;
  }

  void add(Loop::Interior::Bound bound) {
    if (!std::ranges::count(found_.bounds, bound)) found_.bounds.push_back(std::move(bound));
  }

  const Loop& loop_;
  std::vector<const Loop::Input*> inputs_;
  std::vector<const vcode::Kernel::Step*> steps_;
  Loop::Interior found_;
  int visits_ = kMostVisits;
};

}  // namespace

std::optional<Loop::Interior> find_interior(const Loop& loop, std::size_t values) {
  if (loop.tables.empty() || !loop.has_nest()) return {};
  return InteriorFinder(loop, values).find();
}

}  // namespace kernels
