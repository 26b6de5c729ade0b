// Conditionals. Both branches of very cheap ones are computed for all instances, and SELECT chooses. Others have a
// block for each branch, which is computed for the instances that take it. The optimizer decides how to run those whose
// results are scalars.
#include "conditionals.h"

#include <algorithm>

#include "base/check.h"
#include "primitives/type_match.h"

namespace nesl {

namespace {

/// Largest branches, in syntax nodes, that are both computed for all instances, with SELECT choosing between the
/// results.
constexpr int kSelectSize = 16;

bool has_sequence(TypeStore& types, Type* type) {
  type = resolve(type);
  switch (type->kind) {
    case Type::Kind::kSequence:
    case Type::Kind::kFunction:
      return true;
    case Type::Kind::kData:
      return type->datatype->scheme.type == nullptr || has_sequence(types, contents(types, type));
    default:
      return std::ranges::any_of(type->arguments, [&](Type* part) { return has_sequence(types, part); });
  }
}

}  // namespace

bool is_atom(const Expr& expr) {
  return std::holds_alternative<IntLiteral>(expr.node) || std::holds_alternative<FloatLiteral>(expr.node) ||
         std::holds_alternative<BoolLiteral>(expr.node) || std::holds_alternative<CharLiteral>(expr.node) ||
         std::holds_alternative<Name>(expr.node) || std::holds_alternative<Lambda>(expr.node);
}

/// Number of syntax nodes of arithmetic on atoms; more than kSelectSize for any other expression.
int Conditionals::select_cost(const Expr& expr) {
  if (is_simple(expr)) return 1;
  if (!std::holds_alternative<Pair>(expr.node) && !std::holds_alternative<Call>(expr.node) &&
      !std::holds_alternative<Field>(expr.node))
    return kSelectSize + 1;
  int cost = 1;
  if (const auto* call = std::get_if<Call>(&expr.node)) {
    const auto* name = std::get_if<Name>(&call->function->node);
    if (name == nullptr || name->definition == nullptr) return kSelectSize + 1;
    if (name->definition->instruction.empty()) {
      if (!name->definition->prelude || !name->definition->body) return kSelectSize + 1;
      cost += context_.facts().inlined_size(*name->definition);
    }
  }
  for_each_child(expr, [&](const Expr& child) { cost += select_cost(child); });
  return cost;
}

bool Conditionals::is_simple(const Expr& expr) {
  if (const ValuePtr* ready = context_.frame().ready.find(expr)) return max_level(**ready) <= levels_.depth();
  if (const auto* pair = std::get_if<Pair>(&expr.node)) return is_simple(*pair->first) && is_simple(*pair->rest);
  if (const auto* field = std::get_if<Field>(&expr.node)) return is_simple(*field->record);
  return is_atom(expr);
}

ValuePtr Conditionals::lower_if(const Expr& expr, const If& node) {
  ValuePtr condition = walker_.lower(*node.condition);
  if (condition->level == 0) {
    if (auto known = emit().known_integer(condition->var))
      return walker_.lower(*known != 0 ? *node.then_branch : *node.else_branch);
    if (!context_.frame().ready.packed.contains(&expr))
      return levels_.conditional(
          condition->var, [&] { return levels_.lift_here(walker_.lower(*node.then_branch)); },
          [&](const ValuePtr&) { return levels_.lift_here(walker_.lower(*node.else_branch)); });
  }
  if (!context_.facts().calls_recursion(expr)) return lower_lifted_if(expr, node, condition);
  const std::size_t ready = context_.frame().ready.order.size();
  const std::set<const Expr*> packed = context_.frame().ready.packed;
  ValuePtr value = joins_.join_calls(expr, node, condition);
  if (value == nullptr) value = lower_lifted_if(expr, node, condition);
  context_.frame().ready.shrink(ready);
  context_.frame().ready.packed = packed;
  return value;
}

ValuePtr Conditionals::lower_lifted_if(const Expr& expr, const If& node, const ValuePtr& condition) {
  const int here = levels_.depth();
  const Var flags = levels_.lift_here(condition)->var;
  const bool scalars = !has_sequence(context_.types(), context_.concrete(expr.type));
  // Ready values inside packed branches exist only for the instances that take the branch.
  const bool packed = context_.frame().ready.packed.contains(&expr);
  auto cheap = [&](const Expr& branch) {
    if (is_simple(branch)) return true;
    auto effects = context_.facts().side_effects(branch);
    return !packed && !effects.may_fail && !effects.draws && select_cost(branch) <= kSelectSize;
  };
  if (scalars && cheap(*node.then_branch) && cheap(*node.else_branch)) {
    ValuePtr a = levels_.lift_here(walker_.lower(*node.then_branch));
    return values_.select(flags, a, levels_.lift_here(walker_.lower(*node.else_branch)));
  }
  LiftedIf choice(levels_, flags);
  if (scalars && !packed) {
    const auto simple = [&](const Expr& body) { return levels_.lift_here(walker_.lower(body)); };
    const auto branch = [&](const Expr& body, bool is_then) {
      if (is_simple(body)) return simple(body);
      choice.enter(is_then);
      ValuePtr value = levels_.lift_here(walker_.lower(body));
      choice.leave(is_then);
      return value;
    };
    const ValuePtr a = branch(*node.then_branch, true);
    const ValuePtr value = choice.join(a, branch(*node.else_branch, false));
    VC_CHECK(value != nullptr);
    choice.finish(levels_.location(""));
    return value;
  }
  auto branch = [&](const Expr& body, bool is_then) {
    return levels_.conditional(
        choice.taken(is_then),
        [&] {
          levels_.push_subset(is_then ? flags : choice.not_flags(), choice.all(), choice.mixed(), false);
          ValuePtr value = levels_.lift_here(walker_.lower(body));
          levels_.pop_level();
          return with_level(value, here);
        },
        [&](const ValuePtr& value) { return values_.empty_like(value, here); });
  };
  // A simple branch of a conditional of scalars is computed for all instances, and the other one written over it.
  for (const bool simple : {true, false}) {
    const Expr &body = simple ? *node.then_branch : *node.else_branch,
               &other = simple ? *node.else_branch : *node.then_branch;
    if (!scalars || !is_simple(body)) continue;
    const ValuePtr base = levels_.lift_here(walker_.lower(body));
    const ValuePtr written = branch(other, !simple);
    return levels_.conditional(
        choice.taken(!simple), [&] { return values_.overlay(base, simple ? choice.not_flags() : flags, written); },
        [&](const ValuePtr&) { return base; });
  }
  ValuePtr a = branch(*node.then_branch, true);
  ValuePtr b = branch(*node.else_branch, false);
  return levels_.conditional(
      choice.mixed(), [&] { return values_.merge(flags, a, b); },
      [&](const ValuePtr&) {
        return levels_.conditional(
            choice.taken(true), [&] { return a; }, [&](const ValuePtr&) { return b; });
      });
}

}  // namespace nesl
