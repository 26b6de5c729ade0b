#include "lifted_if.h"

#include <algorithm>

#include "base/check.h"

namespace nesl {

LiftedIf::LiftedIf(Levels& levels, Var flags) : levels_(levels), all_(levels.single(levels.depth())) {
  const auto any = [&](Var of) { return emit().op(Op::kOrReduce, Suffix::kBool, {of, all_}); };
  branches_[0].flags = flags;
  branches_[1].flags = emit().op(Op::kNot, Suffix::kBool, {flags});
  for (Branch& branch : branches_) branch.taken = any(branch.flags);
  mixed_ = emit().op(Op::kAnd, Suffix::kBool, {branches_[0].taken, branches_[1].taken});
}

void LiftedIf::enter(bool then_branch) {
  Branch& branch = branches_[then_branch ? 0 : 1];
  if (branch.begin == letform::kNoVar) branch.begin = static_cast<Var>(emit().size());
  emit().begin_block(std::move(branch.block));
  levels_.push_subset(branch.flags, all_, mixed_, false);
}

void LiftedIf::leave(bool then_branch) {
  Branch& branch = branches_[then_branch ? 0 : 1];
  levels_.pop_level();
  branch.block = emit().end_block({});
  branch.end = static_cast<Var>(emit().size());
}

bool LiftedIf::is_inside(Var var) const {
  return !levels_.emit().known_integer(var) &&
         std::any_of(std::begin(branches_), std::end(branches_),
                     [&](const Branch& b) { return b.begin != letform::kNoVar && var >= b.begin && var < b.end; });
}

bool LiftedIf::is_outside(const FlatValue& value) const {
  const std::vector<Var> leaves = leaves_of(value);
  return std::none_of(leaves.begin(), leaves.end(), [this](Var leaf) { return is_inside(leaf); });
}

Var LiftedIf::outside(Var var) {
  if (const auto number = emit().known_integer(var))
    return emit().kind(var) == Kind::kBool ? emit().boolean(*number != 0) : emit().integer(*number);
  return var;
}

ValuePtr LiftedIf::outlive(const ValuePtr& value) {
  if (value->kind == FlatValue::Kind::kPair) {
    ValuePtr first = outlive(value->parts[0]);
    return pair_value(first, outlive(value->parts[1]));
  }
  return is_outside(*value) && max_level(*value) < levels_.depth() ? value : levels_.lift_here(value);
}

Var LiftedIf::result(const ValuePtr& a, const ValuePtr& b) {
  joined_.emplace_back(a, b);
  return results_.emplace_back(emit().declare(emit().kind((a != nullptr ? a : b)->var)));
}

ValuePtr LiftedIf::join(const ValuePtr& a, const ValuePtr& b) {
  const int here = levels_.depth();
  const ValuePtr& one = a != nullptr ? a : b;
  const bool same = a == nullptr || b == nullptr || is_same(*a, *b);
  if (same && is_outside(*one) && max_level(*one) <= here)
    return rebuild(
        one, [this](Var v) { return outside(v); }, [](int l) { return l; });
  if (a != nullptr && b != nullptr && a->kind != b->kind) return nullptr;
  const auto is_leaf = [&](const ValuePtr& value) {
    return value == nullptr || value->level <= (is_inside(value->var) ? here + 1 : here);
  };
  const auto part = [&](const ValuePtr& of, std::size_t k) { return of == nullptr ? nullptr : of->parts[k]; };
  const auto scalar = [&](Var FlatValue::*leaf) {
    const auto of = [&](const ValuePtr& value) {
      return value == nullptr ? nullptr : scalar_value((*value).*leaf, value->level);
    };
    return result(of(a), of(b));
  };
  switch (one->kind) {
    case FlatValue::Kind::kScalar:
      if (!is_leaf(a) || !is_leaf(b)) return nullptr;
      return scalar_value(scalar(&FlatValue::var), here);
    case FlatValue::Kind::kSlice: {
      const ValuePtr& elements = one->parts[0];
      if (!is_leaf(a) || !is_leaf(b)) return nullptr;
      if (!is_outside(*elements) || (a != nullptr && b != nullptr && !is_same(*elements, *b->parts[0]))) return nullptr;
      const Var lengths = scalar(&FlatValue::var);
      return slice_value(lengths, scalar(&FlatValue::starts), elements, here);
    }
    case FlatValue::Kind::kPair: {
      const ValuePtr first = join(part(a, 0), part(b, 0));
      const ValuePtr rest = first == nullptr ? nullptr : join(part(a, 1), part(b, 1));
      return rest == nullptr ? nullptr : pair_value(first, rest);
    }
    case FlatValue::Kind::kSequence:
    case FlatValue::Kind::kFunction:
      break;
  }
  return nullptr;
}

void LiftedIf::finish(const Location& where) {
  for (const bool is_then : {true, false}) {
    std::vector<Var> results;
    const auto results_if = [&](bool inside) {
      results.resize(joined_.size(), letform::kNoVar);
      for (std::size_t k = 0; k < joined_.size(); ++k) {
        const ValuePtr& value = is_then ? joined_[k].first : joined_[k].second;
        if (value != nullptr && is_inside(value->var) == inside)
          results[k] = levels_.lift_scalar(inside ? value->var : outside(value->var), value->level, levels_.depth());
      }
    };
    results_if(false);
    Branch& branch = branches_[is_then ? 0 : 1];
    if (branch.begin != letform::kNoVar) {
      // The results are lifted to the instances of the branch, in its block.
      const Var end = branch.end;
      enter(is_then);
      results_if(true);
      leave(is_then);
      branch.end = end;
    }
    branch.block.results = std::move(results);
  }
  emit().lifted_conditional({flags(), not_flags(), all_, branches_[0].taken, branches_[1].taken, mixed_},
                            take_block(true), take_block(false), std::move(results_), where);
}

}  // namespace nesl
