// Loops: functions inside an apply-to-each that end by calling themselves. Each call takes one step for all continuing
// instances, packs these, and merges the results when it returns, which costs far more than most steps do. So before a
// function calls itself, it takes several steps under masks, in straight-line code of one kernel:
//
//   function f(x, n) = if x < 2 then n else f(x / 2, n + 1)
//
//   c = < INT x 2    g = NOT BOOL c                          one step, repeated
//   x' = SELECT INT c x (/ INT x 2)
//   n' = SELECT INT c n (+ INT n 1)
//   … f(x', n')
//
// An instance that has ended keeps its arguments, so each further step computes the same for it: no new fault can
// arise, and the final call takes the same exit with the same arguments.
#include "loops.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"

namespace nesl {

namespace {

/// Most arithmetic operations for each element that the steps before a call take together. A larger limit packs less,
/// and computes more for instances that have ended.
constexpr double kStepsCost = 128;
constexpr int kMostSteps = 7;

/// Calls visit(expr) for each expression that can be the value of this one, until visit returns false. Returns whether
/// visit always returned true.
template <class Visit>
bool for_each_end(const Expr& expr, Visit&& visit) {
  if (const auto* choice = std::get_if<If>(&expr.node))
    return for_each_end(*choice->then_branch, visit) && for_each_end(*choice->else_branch, visit);
  if (const auto* let = std::get_if<Let>(&expr.node)) return for_each_end(*let->body, visit);
  return visit(expr);
}

}  // namespace

/// Whether an expression is the next call of a loop: a call of the function itself or, in a group, of any member.
bool Loops::is_step(const Expr& expr, const Definition& definition) const {
  const auto* call = std::get_if<Call>(&expr.node);
  const auto* name = call == nullptr ? nullptr : std::get_if<Name>(&call->function->node);
  if (name == nullptr || name->definition == nullptr) return false;
  if (const FunctionGroup* group = merged_.find_group(&definition))
    return std::find(group->members.begin(), group->members.end(), name->definition) != group->members.end();
  return name->definition == &definition;
}

/// Whether a function is a loop whose steps may run ahead: the other ends of its body cannot fail or draw random
/// numbers.
bool Loops::is_loop(const Definition& definition) {
  bool goes_on = false;
  const bool ends_well = for_each_end(*definition.body, [&](const Expr& end) {
    if (is_step(end, definition)) return goes_on = true;
    const ExpressionFacts::SideEffects effects = context_.facts().side_effects(end);
    return !effects.may_fail && !effects.draws;
  });
  return goes_on && ends_well;
}

/// Arguments of the next call where `expr` ends in one, otherwise the present arguments.
ValuePtr Loops::next_arguments(const Expr& expr, const Definition& definition, const ValuePtr& arguments) {
  const MergedFunctions::Origin origin(merged_, expr);
  if (const auto* let = std::get_if<Let>(&expr.node)) {
    for (const auto& [pattern, bound] : let->bindings) walker_.bind(*pattern, walker_.lower_lazily(*bound), &expr);
    return next_arguments(*let->body, definition, arguments);
  }
  if (const auto* choice = std::get_if<If>(&expr.node)) {
    const Var flags = levels_.lift_here(walker_.lower(*choice->condition))->var;
    const ValuePtr a =
        levels_.under_mask(flags, [&] { return next_arguments(*choice->then_branch, definition, arguments); });
    const Var others = emit().op(Op::kNot, Suffix::kBool, {flags});
    return step(flags, a, levels_.under_mask(others, [&] {
      return next_arguments(*choice->else_branch, definition, arguments);
    }));
  }
  if (!is_step(expr, definition)) return arguments;
  const auto& call = std::get<Call>(expr.node);
  const ValuePtr argument = walker_.lower_lazily(*call.argument);
  const FunctionGroup* group = merged_.find_group(&definition);
  if (group == nullptr) return argument;
  // Parameters of the group that the called member does not have keep their values.
  std::vector<ValuePtr> parts =
      merged_.argument_of_group(*group, *std::get<Name>(call.function->node).definition, argument);
  const FlatValue* rest = arguments.get();
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const bool last = k + 1 == parts.size();
    if (parts[k] == nullptr) parts[k] = last ? std::make_shared<FlatValue>(*rest) : rest->parts[0];
    if (!last) rest = rest->parts[1].get();
  }
  return nest_pairs(std::move(parts), pair_value);
}

ValuePtr Loops::step(Var flags, const ValuePtr& a, const ValuePtr& b) {
  if (is_same(*a, *b)) return a;
  if (a->kind == FlatValue::Kind::kPair)
    return pair_value(step(flags, a->parts[0], b->parts[0]), step(flags, a->parts[1], b->parts[1]));
  if (a->kind == FlatValue::Kind::kSlice && b->kind == a->kind && is_same(*a->parts[0], *b->parts[0])) {
    const ValuePtr x = levels_.lift_here(a), y = levels_.lift_here(b);
    auto choose = [&](Var of_a, Var of_b) { return emit().op(Op::kSelect, Suffix::kInt, {flags, of_a, of_b}); };
    const Var lengths = choose(x->var, y->var);
    return slice_value(lengths, choose(x->starts, y->starts), a->parts[0], levels_.depth());
  }
  if (a->kind != FlatValue::Kind::kScalar) throw Emitter::Unsuited{"it changes a sequence or a function"};
  return values_.select(flags, levels_.lift_here(a), levels_.lift_here(b));
}

ValuePtr Loops::take_steps(const Definition& definition, ValuePtr arguments) {
  if (!context_.target().masks || levels_.depth() == 0 || !is_loop(definition)) return arguments;
  const Position outer = context_.position();
  const std::uint32_t inlined = context_.inlined_here(definition);
  if (!definition.prelude) context_.position() = {definition.source, definition.span, &definition};
  Frame frame{&definition, definition.source, context_.frame().substitution, definition.prelude, inlined};
  const Var all = emit().op(Op::kDist, Suffix::kBool, {emit().boolean(true), levels_.single(levels_.depth())});
  double left = kStepsCost, cost = 0;
  int steps = 0;
  std::string reason;
  Frame* const caller = context_.change_frame(&frame);
  auto take_step = [&] {
    levels_.under_mask(all, [&] {
      walker_.bind(*definition.parameter, arguments, definition.body.get());
      arguments = next_arguments(*definition.body, definition, arguments);
      return nullptr;
    });
  };
  while (steps < kMostSteps && cost <= left && levels_.try_masks(left, take_step, cost, reason)) {
    left -= cost;
    ++steps;
  }
  if (steps > 0)
    context_.remark(fmt::format("the loop {} takes {} steps by masks before it packs again", definition.name, steps));
  else
    context_.remark(fmt::format("the loop {} packs the elements of each step: {}", definition.name, reason));
  context_.change_frame(caller);
  context_.position() = outer;
  return arguments;
}

}  // namespace nesl
