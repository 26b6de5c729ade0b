// Loops: functions inside an apply-to-each that end by calling themselves. Each call takes one step for all continuing
// instances, packs these, and merges the results when it returns, which costs far more than most steps do. So before a
// function calls itself, the optimizer may take several steps in straight-line code:
//
//   function f(x, n) = if x < 2 then n else f(x / 2, n + 1)
//
//   x', n' = STEPS x n  { LIFTED IF (< INT x' 2)  {yield x' n' F}  {yield (/ INT x' 2) (+ INT n' 1) T} }
//   … f(x', n')
//
// An instance that has ended keeps its arguments, so each further step computes the same for it. The last value tells
// whether it has taken the step.
#include "loops.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "lifted_if.h"

namespace nesl {

namespace {

/// Calls visit(expr) for each expression that can be the value of this one, until visit returns false. Returns whether
/// visit always returned true.
template <class Visit>
bool for_each_end(const Expr& expr, Visit&& visit) {
  if (const auto* choice = std::get_if<If>(&expr.node))
    return for_each_end(*choice->then_branch, visit) && for_each_end(*choice->else_branch, visit);
  if (const auto* let = std::get_if<Let>(&expr.node)) return for_each_end(*let->body, visit);
  return visit(expr);
}

/// Replaces scalars, and lengths and starts of slices, by the results of `replace(scalar)`.
ValuePtr with_scalars(const ValuePtr& value, const std::function<ValuePtr(const ValuePtr&)>& replace) {
  if (value->kind == FlatValue::Kind::kScalar) return replace(value);
  if (value->kind == FlatValue::Kind::kPair) {
    ValuePtr first = with_scalars(value->parts[0], replace);
    return pair_value(first, with_scalars(value->parts[1], replace));
  }
  if (value->kind != FlatValue::Kind::kSlice) return value;
  const ValuePtr length = replace(scalar_value(value->var, value->level));
  const ValuePtr start = replace(scalar_value(value->starts, value->level));
  return slice_value(length->var, start->var, value->parts[0], length->level);
}

/// Appends to `differ`, for each of these scalars, whether it differs. Returns whether the values have the same form,
/// and equal parts otherwise.
bool compare(const ValuePtr& a, const ValuePtr& b, std::vector<bool>& differ) {
  if (a->kind != b->kind) return false;
  switch (a->kind) {
    case FlatValue::Kind::kScalar:
      differ.push_back(a->var != b->var);
      return true;
    case FlatValue::Kind::kPair:
      return compare(a->parts[0], b->parts[0], differ) && compare(a->parts[1], b->parts[1], differ);
    case FlatValue::Kind::kSlice:
      differ.push_back(a->var != b->var);
      differ.push_back(a->starts != b->starts);
      return is_same(*a->parts[0], *b->parts[0]);
    case FlatValue::Kind::kSequence:
    case FlatValue::Kind::kFunction:
      break;
  }
  return is_same(*a, *b);
}

/// The scalars, and lengths and starts of slices, of a value.
std::vector<Var> scalars_of(const ValuePtr& value) {
  std::vector<Var> scalars;
  with_scalars(value, [&](const ValuePtr& scalar) {
    scalars.push_back(scalar->var);
    return scalar;
  });
  return scalars;
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

/// Why a step is no straight-line code, whatever operations it takes; empty if it may be.
std::string Loops::obstacle(const Expr& expr, const Definition& definition) {
  if (const auto* choice = std::get_if<If>(&expr.node)) {
    for (const Expr* part : {choice->then_branch.get(), choice->else_branch.get()})
      if (std::string found = obstacle(*part, definition); !found.empty()) return found;
    return obstacle_to(*choice->condition);
  }
  if (const auto* let = std::get_if<Let>(&expr.node)) {
    for (const auto& [pattern, bound] : let->bindings)
      if (std::string found = obstacle_to(*bound); !found.empty()) return found;
    return obstacle(*let->body, definition);
  }
  return is_step(expr, definition) ? obstacle_to(*std::get<Call>(expr.node).argument) : "";
}

std::string Loops::obstacle_to(const Expr& value) {
  if (context_.facts().side_effects(value).draws) return "it draws random numbers";
  if (context_.facts().calls_recursion(value)) return "a function is called";
  return "";
}

/// Arguments of the next call, and true, where `expr` ends in one; otherwise the present arguments, and false. Null if
/// they are no scalars.
ValuePtr Loops::next_arguments(const Expr& expr, const Definition& definition, const ValuePtr& arguments) {
  const MergedFunctions::Origin origin(merged_, expr);
  if (const auto* let = std::get_if<Let>(&expr.node)) {
    for (const auto& [pattern, bound] : let->bindings) walker_.bind(*pattern, walker_.lower_lazily(*bound), &expr);
    return next_arguments(*let->body, definition, arguments);
  }
  if (const auto* choice = std::get_if<If>(&expr.node)) {
    LiftedIf lifted(levels_, levels_.lift_here(walker_.lower(*choice->condition))->var);
    const auto branch = [&](const Expr& body, bool is_then) {
      lifted.enter(is_then);
      ValuePtr next = next_arguments(body, definition, arguments);
      if (next != nullptr) next = lifted.outlive(next);
      lifted.leave(is_then);
      return next;
    };
    const ValuePtr a = branch(*choice->then_branch, true), b = branch(*choice->else_branch, false);
    const ValuePtr next = a == nullptr || b == nullptr ? nullptr : lifted.join(a, b);
    if (next != nullptr) lifted.finish(levels_.location(""));
    return next;
  }
  const bool goes_on = is_step(expr, definition);
  const ValuePtr took_step = scalar_value(emit().boolean(goes_on), 0);
  if (!goes_on) return pair_value(arguments, took_step);
  const auto& call = std::get<Call>(expr.node);
  const ValuePtr argument = walker_.lower_lazily(*call.argument);
  const FunctionGroup* group = merged_.find_group(&definition);
  if (group == nullptr) return pair_value(argument, took_step);
  // Parameters of the group that the called member does not have keep their values.
  std::vector<ValuePtr> parts =
      merged_.argument_of_group(*group, *std::get<Name>(call.function->node).definition, argument);
  const FlatValue* rest = arguments.get();
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const bool last = k + 1 == parts.size();
    if (parts[k] == nullptr) parts[k] = last ? std::make_shared<FlatValue>(*rest) : rest->parts[0];
    if (!last) rest = rest->parts[1].get();
  }
  return pair_value(nest_pairs(std::move(parts), pair_value), took_step);
}

ValuePtr Loops::take_steps(const Definition& definition, ValuePtr arguments) {
  if (!context_.fuses() || levels_.depth() == 0 || !is_loop(definition)) return arguments;
  const Position outer = context_.position();
  const std::uint32_t inlined = context_.inlined_here(definition);
  if (!definition.prelude) context_.position() = {definition.source, definition.span, &definition};
  Frame frame{&definition, definition.source, context_.frame().substitution, definition.prelude, inlined};
  Frame* const caller = context_.change_frame(&frame);
  std::string reason = obstacle(*definition.body, definition);
  if (reason.empty()) reason = take_steps_of(definition, arguments);
  if (!reason.empty())
    context_.remark(fmt::format("the loop {} packs the elements of each step: {}", definition.name, reason));
  context_.change_frame(caller);
  context_.position() = outer;
  return arguments;
}

/// Emits steps that change the arguments, or returns why that is impossible. Only scalars that a step changes are
/// values of the steps; these vary with the instances.
std::string Loops::take_steps_of(const Definition& definition, ValuePtr& arguments) {
  std::vector<bool> changes(scalars_of(arguments).size());
  for (;;) {
    std::size_t k = 0;
    std::vector<Var> before, values, after;
    const ValuePtr current = with_scalars(arguments, [&](const ValuePtr& scalar) {
      if (!changes[k++]) return scalar;
      before.push_back(levels_.lift_here(scalar)->var);
      values.push_back(emit().declare(emit().kind(before.back())));
      return scalar_value(values.back(), levels_.depth());
    });
    emit().begin_block();
    walker_.bind(*definition.parameter, current, definition.body.get());
    const ValuePtr next = next_arguments(*definition.body, definition, current);
    std::vector<bool> differ;
    const bool is_possible = next != nullptr && compare(current, next->parts[0], differ);
    for (k = 0; is_possible && k < differ.size(); ++k) differ[k] = differ[k] || changes[k];
    if (is_possible && differ == changes) {
      k = 0;
      with_scalars(next->parts[0], [&](const ValuePtr& scalar) {
        if (changes[k++]) after.push_back(levels_.lift_here(scalar)->var);
        return scalar;
      });
      after.push_back(levels_.lift_here(next->parts[1])->var);
    }
    letform::Block block = emit().end_block(after);
    if (!is_possible) return "it changes a sequence or a function";
    if (differ == changes) {
      emit().steps(std::move(before), std::move(block), std::move(values), context_.site(definition.name));
      arguments = current;
      return "";
    }
    changes = differ;
  }
}

}  // namespace nesl
