// Joined calls: one call in place of calls of the same function in several branches of a conditional inside an
// apply-to-each. Separate calls run for the instances of their branches: with two of them, a recursion of depth n makes
// 2^n calls, for ever fewer instances. Joining evaluates the conditional in turns. Each turn evaluates the branches up
// to their next call, merges the arguments, and makes one call for all; each branch then continues with the value.
//
//   if c then g(f(a)) else h(f(b))
//
//   c'                       the conditional, up to the arguments of the calls
//   x = if c' then a else b
//   y = f(x)                 one call
//   if c' then g(y) else h(y)
//
// Frame::ready keeps the values that are known, so that the same code compiles expressions with and without known
// parts. Instances that make no call in a turn have zeros and empty sequences as arguments, which are packed away
// before the call.
#include "joins.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"

namespace nesl {

/// Key of a call: calls with equal keys can be joined; empty if the call cannot be. Functions among the arguments must
/// be provably the same in all calls: named, and not variables of `inner`, which the conditional itself binds.
std::string Joins::unit_of_call(const Expr& expr, const std::set<std::uint32_t>& inner) {
  const auto& call = std::get<Call>(expr.node);
  const auto* name = std::get_if<Name>(&call.function->node);
  if (name == nullptr || name->definition == nullptr) return "";
  const Definition& callee = *name->definition;
  if (callee.kind != Definition::Kind::kFunction || !callee.recursive || !callee.specializations.empty()) return "";
  if (callee.prelude && !context_.frame().prelude) return "";
  std::string key = fmt::format("{}", static_cast<const void*>(&callee));
  if (const auto members = merged_.members_of(callee); !members.empty())
    return fmt::format("{} or others", static_cast<const void*>(members[0]));
  for (Type* type : context_.concrete(name->instantiation)) append_key(type, key);
  bool is_clear = true;
  auto look = [&](auto& self, const Expr& argument) -> void {
    if (!has_function(context_.concrete(argument.type))) return;
    if (const auto* pair = std::get_if<Pair>(&argument.node)) {
      self(self, *pair->first);
      return self(self, *pair->rest);
    }
    const auto* function = std::get_if<Name>(&argument.node);
    if (function == nullptr || (function->definition == nullptr && inner.contains(function->local))) {
      is_clear = false;
      return;
    }
    key += fmt::format(" {} {}", static_cast<const void*>(function->definition), function->local);
    for (Type* type : context_.concrete(function->instantiation)) append_key(type, key);
  };
  look(look, *call.argument);
  return is_clear ? key : "";
}

ValuePtr Joins::join_calls(const Expr& expr, const If& node, const ValuePtr& condition) {
  std::set<std::uint32_t> inner, varying;
  auto varies = [&](const Expr& e) {
    return std::any_of(
        context_.facts().free_locals(e).begin(), context_.facts().free_locals(e).end(), [&](std::uint32_t local) {
          return inner.contains(local) ? varying.contains(local) : max_level(*context_.frame().locals.at(local)) > 0;
        });
  };
  CallOrder order(
      [&](const Expr& call) {
        // An invariant call is evaluated once, outside of the conditional.
        return varies(call) || context_.facts().side_effects(call).draws ? unit_of_call(call, inner) : "";
      },
      [this](const Expr& e) { return context_.frame().ready.find(e) != nullptr; });
  order.for_each_binding(expr, [&](const Pattern& pattern, const Expr& value) {
    const bool different = varies(value);
    for_each_variable(pattern, [&](const Pattern& variable) {
      inner.insert(variable.local);
      if (different) varying.insert(variable.local);
    });
  });
  if (!order.joins(node)) return nullptr;

  const Position position = context_.position();
  context_.frame().ready.set(*node.condition, condition);
  while (order.joins(node)) {
    const std::vector<const Expr*> calls = order.advance(expr);
    const Due due = prepare(expr, order);
    context_.position() = position;
    // No call is made if all calls are in branches that are never taken.
    const ValuePtr value =
        due.parts.empty() ? values_.placeholder(context_.concrete(calls[0]->type)) : call_due(calls, due);
    if (order.completes() && due.needed == nullptr) return value;
    for (const Expr* call : calls) context_.frame().ready.set(*call, value);
  }
  return nullptr;
}

/// A call for several branches has the location of the conditional, a call for a single branch its own.
ValuePtr Joins::call_due(const std::vector<const Expr*>& calls, const Due& due) {
  auto name_of = [](const Expr* call) -> const Name& {
    return std::get<Name>(std::get<Call>(call->node).function->node);
  };
  const Name& name = name_of(calls[0]);
  const bool is_group = std::any_of(calls.begin(), calls.end(),
                                    [&](const Expr* call) { return name_of(call).definition != name.definition; });
  const Definition& callee =
      is_group ? *merged_.group_of(merged_.members_of(*name.definition)).definition : *name.definition;
  const Position position = context_.position();
  if (calls.size() > 1) context_.remark(fmt::format("{} calls of {} are made together", calls.size(), callee.name));
  // In a group, a joined call also has the location of its first call, because the conditionals of the merged function
  // have no location in a text.
  if (calls.size() == 1 || merged_.find_group(context_.frame().definition) != nullptr)
    context_.position() = due.position;
  std::vector<ValuePtr> parts = due.parts;
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (parts[k] == nullptr)
      parts[k] = values_.placeholder(merged_.group_of(merged_.members_of(*name.definition)).types[k]);
  const ValuePtr argument = nest_pairs(std::move(parts), pair_value);
  auto call = [&] {
    return levels_.lift_here(
        levels_.copied(calls_.call_definition(callee, context_.concrete(name.instantiation), argument)));
  };
  ValuePtr value;
  if (due.needed == nullptr) {
    value = call();
  } else {
    const int here = levels_.depth();
    const Var flags = levels_.lift_here(due.needed)->var;
    const Var all = levels_.single(here);
    const Var others = emit().op(Op::kNot, Suffix::kBool, {flags});
    const Var some = emit().op(Op::kOrReduce, Suffix::kBool, {flags, all});
    const Var mixed =
        emit().op(Op::kAnd, Suffix::kBool, {some, emit().op(Op::kOrReduce, Suffix::kBool, {others, all})});
    value = levels_.conditional(
        some,
        [&] {
          levels_.push_subset(flags, all, mixed, false);
          ValuePtr result = call();
          levels_.pop_level();
          return result;
        },
        [&](const ValuePtr& model) { return values_.empty_like(model, here + 1); });
    value = fill(flags, value);
  }
  context_.position() = position;
  return value;
}

void Joins::settle(const Expr& expr) {
  if (context_.frame().ready.find(expr) != nullptr) return;
  const auto effects = context_.facts().side_effects(expr);
  if (std::holds_alternative<Name>(expr.node) || std::holds_alternative<Lambda>(expr.node)) return;
  if (effects.may_fail || effects.draws) context_.frame().ready.set(expr, walker_.lower_lazily(expr));
}

ValuePtr Joins::with_slices(const ValuePtr& argument, const Definition& definition, const Pattern* parameter) {
  if (!has_slice(*argument)) return argument;
  while (parameter != nullptr && parameter->kind == Pattern::Kind::kData) parameter = parameter->parts[0].get();
  if (argument->kind == FlatValue::Kind::kPair) {
    const bool split = parameter != nullptr && parameter->kind == Pattern::Kind::kPair;
    ValuePtr first = with_slices(argument->parts[0], definition, split ? parameter->parts[0].get() : nullptr);
    return pair_value(first, with_slices(argument->parts[1], definition, split ? parameter->parts[1].get() : nullptr));
  }
  const bool indexed = parameter != nullptr && parameter->kind == Pattern::Kind::kVariable &&
                       context_.facts().only_indexed(definition, parameter->local);
  return indexed ? argument : levels_.copied(argument);
}

ValuePtr Joins::bound_value(const Pattern& pattern) {
  if (pattern.kind == Pattern::Kind::kVariable) return context_.frame().locals.at(pattern.local);
  if (pattern.kind == Pattern::Kind::kData) return bound_value(*pattern.parts[0]);
  ValuePtr first = bound_value(*pattern.parts[0]);
  return pair_value(first, bound_value(*pattern.parts[1]));
}

Joins::Due Joins::prepare(const Expr& expr, const CallOrder& order) {
  const MergedFunctions::Origin origin(merged_, expr);
  const Position outer = context_.move_to(expr);
  Due due;
  auto among = [&](const std::vector<const Expr*>& parts) {
    for (const Expr* part : parts) {
      if (order.reaches(*part)) {
        due = prepare(*part, order);
        return true;
      }
      settle(*part);
    }
    return false;
  };
  if (const auto* call = std::get_if<Call>(&expr.node)) {
    if (!among({call->function.get(), call->argument.get()})) due = prepare_call(*call, order);
  } else if (const auto* pair = std::get_if<Pair>(&expr.node)) {
    among({pair->first.get(), pair->rest.get()});
  } else if (const auto* let = std::get_if<Let>(&expr.node)) {
    bool found = false;
    for (const auto& [pattern, bound] : let->bindings) {
      if ((found = order.reaches(*bound))) {
        due = prepare(*bound, order);
        break;
      }
      walker_.bind(*pattern, walker_.lower_lazily(*bound), &expr);
      context_.frame().ready.set(*bound, bound_value(*pattern));
    }
    if (!found) due = prepare(*let->body, order);
  } else if (const auto* choice = std::get_if<If>(&expr.node)) {
    if (!among({choice->condition.get()})) due = prepare_branches(expr, *choice, order);
  } else if (const auto* sequence = std::get_if<SequenceLiteral>(&expr.node)) {
    std::vector<const Expr*> elements;
    for (const auto& element : sequence->elements) elements.push_back(element.get());
    among(elements);
  } else if (const auto* field = std::get_if<Field>(&expr.node)) {
    among({field->record.get()});
  } else if (const auto* each = std::get_if<Each>(&expr.node)) {
    std::vector<const Expr*> values;
    for (const auto& [pattern, value] : each->bindings) values.push_back(value.get());
    among(values);
  }
  context_.position() = outer;
  return due;
}

Joins::Due Joins::prepare_call(const Call& call, const CallOrder& order) {
  const Definition& callee = *std::get<Name>(call.function->node).definition;
  const ValuePtr argument = with_slices(walker_.lower_lazily(*call.argument), callee, callee.parameter.get());
  Due due;
  due.position = context_.position();
  const bool is_alone = std::all_of(order.due().begin(), order.due().end(), [&](const Expr* other) {
    return std::get<Name>(std::get<Call>(other->node).function->node).definition == &callee;
  });
  due.parts = is_alone ? std::vector<ValuePtr>{argument}
                       : merged_.argument_of_group(merged_.group_of(merged_.members_of(callee)), callee, argument);
  return due;
}

Joins::Due Joins::prepare_branches(const Expr& expr, const If& node, const CallOrder& order) {
  const ValuePtr condition = walker_.lower(*node.condition);
  context_.frame().ready.set(*node.condition, condition);
  if (condition->level == 0)
    if (auto known = emit().known_integer(condition->var)) {
      const Expr& taken = *known != 0 ? *node.then_branch : *node.else_branch;
      return order.reaches(taken) ? prepare(taken, order) : Due{};
    }
  const Var flags = levels_.lift_here(condition)->var;
  LiftedIf choice(levels_, flags);
  Branch a = compute_branch(*node.then_branch, choice, true, order);
  Branch b = compute_branch(*node.else_branch, choice, false, order);
  // Values that an earlier turn has packed are packed still.
  if (!context_.frame().ready.packed.contains(&expr))
    if (std::optional<Due> due = joined(choice, a, b)) return *due;
  context_.frame().ready.packed.insert(&expr);
  run_packed(a, choice, true);
  run_packed(b, choice, false);
  return either(flags, a.due, b.due, [&](const ValuePtr& x, const ValuePtr& y) {
    if (x == nullptr || y == nullptr) return x == nullptr ? fill(choice.not_flags(), y) : fill(flags, x);
    return merge_parts(flags, x, y);
  });
}

/// Evaluates a branch up to its next call, in its block of the conditional.
Joins::Branch Joins::compute_branch(const Expr& expr, LiftedIf& choice, bool is_then, const CallOrder& order) {
  Branch branch;
  if (!order.reaches(expr)) return branch;
  branch.computed = true;
  Ready& ready = context_.frame().ready;
  const std::size_t before = ready.order.size();
  choice.enter(is_then);
  branch.due = prepare(expr, order);
  if (order.completes()) ready.shrink(before);  // no code follows the call
  for (ValuePtr& part : branch.due.parts)
    if (part != nullptr) part = choice.outlive(part);
  if (branch.due.needed != nullptr) branch.due.needed = levels_.lift_here(branch.due.needed);
  for (std::size_t k = before; k < ready.order.size(); ++k) branch.values.push_back(&ready.values.at(ready.order[k]));
  choice.leave(is_then);
  return branch;
}

/// Joins the arguments of both branches, and the values that they have computed, in one conditional; nothing if that is
/// impossible.
std::optional<Joins::Due> Joins::joined(LiftedIf& choice, Branch& a, Branch& b) {
  bool possible = true;
  const auto join = [&](const ValuePtr& x, const ValuePtr& y) {
    ValuePtr value = possible ? choice.join(x, y) : nullptr;
    possible = possible && value != nullptr;
    return value;
  };
  const Due due = either(choice.flags(), a.due, b.due, join);
  std::vector<ValuePtr> values;
  for (const ValuePtr* value : a.values) values.push_back(join(*value, nullptr));
  for (const ValuePtr* value : b.values) values.push_back(join(nullptr, *value));
  if (!possible) return std::nullopt;
  std::size_t next = 0;
  for (Branch* branch : {&a, &b})
    for (ValuePtr* value : branch->values) *value = values[next++];
  Location where = levels_.location("");
  where.site = vcode::kNoSite;  // remarks tell only of conditionals in the text
  choice.finish(where);
  return due;
}

Joins::Due Joins::either(Var flags, const Due& a, const Due& b, const JoinParts& join) {
  Due due;
  if (a.parts.empty() && b.parts.empty()) return due;
  const bool b_first = a.parts.empty() || (!b.parts.empty() && b.position.source == a.position.source &&
                                           b.position.span.begin < a.position.span.begin);
  due.position = b_first ? b.position : a.position;
  due.parts.resize(std::max(a.parts.size(), b.parts.size()));
  for (std::size_t k = 0; k < due.parts.size(); ++k) {
    const ValuePtr x = a.parts.empty() ? nullptr : a.parts[k], y = b.parts.empty() ? nullptr : b.parts[k];
    if (x != nullptr || y != nullptr) due.parts[k] = join(x, y);
  }
  const bool all_of_a = !a.parts.empty() && a.needed == nullptr;
  const bool all_of_b = !b.parts.empty() && b.needed == nullptr;
  if (all_of_a && all_of_b) return due;
  if (a.needed == nullptr && b.needed == nullptr) {
    due.needed = scalar_value(all_of_a ? flags : emit().op(Op::kNot, Suffix::kBool, {flags}), levels_.depth());
    return due;
  }
  auto flag = [&](const Due& of, bool all) {
    return of.needed != nullptr ? of.needed : scalar_value(emit().boolean(all), 0);
  };
  const ValuePtr needed_by_a = flag(a, all_of_a);
  due.needed = join(needed_by_a, flag(b, all_of_b));
  return due;
}

/// Emits the block of a branch, which runs if an instance takes the branch. Values used after the block are its
/// results.
void Joins::run_packed(Branch& branch, LiftedIf& choice, bool is_then) {
  if (!branch.computed) return;
  std::vector<ValuePtr*> values;
  for (ValuePtr& part : branch.due.parts)
    if (part != nullptr) values.push_back(&part);
  if (branch.due.needed != nullptr) values.push_back(&branch.due.needed);
  values.insert(values.end(), branch.values.begin(), branch.values.end());
  letform::Block then_block = choice.take_block(is_then);
  emit().begin_block();
  std::vector<Var> absent;
  for (ValuePtr* value : values) {
    const std::vector<Var> leaves = leaves_of(**value), others = leaves_of(*absent_like(*value));
    for (std::size_t k = 0; k < leaves.size(); ++k)
      if (choice.is_inside(leaves[k])) {
        then_block.results.push_back(leaves[k]);
        absent.push_back(others[k]);
      }
  }
  letform::Block else_block = emit().end_block(absent);
  const std::vector<Var> known =
      emit().conditional(choice.taken(is_then), std::move(then_block), std::move(else_block));
  std::size_t next = 0;
  auto outside = [&](Var leaf) { return choice.is_inside(leaf) ? known[next++] : choice.outside(leaf); };
  for (ValuePtr* value : values) *value = rebuild(*value, outside, [](int l) { return l; });
}

ValuePtr Joins::absent_like(const ValuePtr& value) {
  if (value->kind == FlatValue::Kind::kPair || value->kind == FlatValue::Kind::kFunction) {
    auto copy = std::make_shared<FlatValue>(*value);
    for (auto& part : copy->parts) part = absent_like(part);
    return copy;
  }
  if (value->kind == FlatValue::Kind::kSlice) {
    const ValuePtr number = absent_like(scalar_value(value->var, value->level));
    return slice_value(number->var, number->var, values_.empty_like(value->parts[0], 1), value->level);
  }
  return values_.empty_like(value, value->level);
}

ValuePtr Joins::merge_parts(Var flags, const ValuePtr& a, const ValuePtr& b) {
  if (max_level(*a) <= levels_.depth() && is_same(*a, *b)) return a;
  if (a->kind == FlatValue::Kind::kPair) {
    ValuePtr first = merge_parts(flags, a->parts[0], b->parts[0]);
    return pair_value(first, merge_parts(flags, a->parts[1], b->parts[1]));
  }
  const Var all = levels_.single(levels_.depth());
  auto of_branch = [&](Var of, const ValuePtr& value, bool copy) {
    levels_.push_subset(of, all, letform::kNoVar, true);
    ValuePtr packed = levels_.lift_here(value);
    if (copy) packed = levels_.copied(packed);
    levels_.pop_level();
    return packed;
  };
  // Slices of one sequence are merged without a copy.
  const bool copy = (has_slice(*a) || has_slice(*b)) && (a->kind != b->kind || !is_same(*a->parts[0], *b->parts[0]));
  ValuePtr some = of_branch(flags, a, copy);
  return values_.merge(flags, some, of_branch(emit().op(Op::kNot, Suffix::kBool, {flags}), b, copy));
}

ValuePtr Joins::fill(Var flags, const ValuePtr& value) {
  if (value->kind == FlatValue::Kind::kPair || value->kind == FlatValue::Kind::kFunction) {
    auto copy = std::make_shared<FlatValue>(*value);
    for (auto& part : copy->parts) part = fill(flags, part);
    return copy;
  }
  if (value->level <= levels_.depth()) return value;
  return with_level(values_.scatter(value, values_.numbers_of(flags), levels_.single(levels_.depth())),
                    levels_.depth());
}

}  // namespace nesl
