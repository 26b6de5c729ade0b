#include "cost_rules.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "facts/expression_facts.h"

namespace nesl {

namespace {

/// Library functions that read one element or a length.
constexpr std::array<std::string_view, 4> kOneElement = {"#", "length", "elt", "elt_nocheck"};
/// Library functions that read a part of a sequence, as long as their result.
constexpr std::array<std::string_view, 12> kPartOnly = {"->",       "read",           "get",       "get_nocheck",
                                                        "subseq",   "subseq_nocheck", "take",      "drop",
                                                        "odd_elts", "even_elts",      "head_rest", "rest_tail"};
constexpr std::array<std::string_view, 2> kSorting = {"rank", "rank_down"};

template <std::size_t n>
bool contains(const std::array<std::string_view, n>& names, const Definition& definition) {
  return definition.prelude && std::find(names.begin(), names.end(), definition.name) != names.end();
}

bool takes_functions(const Definition& definition) {
  const Type* const type = resolve(definition.scheme.type);
  return type->kind == Type::Kind::kFunction && (has_function(type->arguments[0]) || has_function(type->arguments[1]));
}

/// Whether a type may be an instance of another one.
bool may_be(Type* type, Type* general) {
  type = resolve(type), general = resolve(general);
  if (type->kind == Type::Kind::kVariable || general->kind == Type::Kind::kVariable) return true;
  if (type->kind != general->kind || type->arguments.size() != general->arguments.size()) return false;
  return std::equal(type->arguments.begin(), type->arguments.end(), general->arguments.begin(), may_be);
}

/// The definition that a call names; null for a function value.
const Definition* callee_of(const Call& call) {
  const auto* name = std::get_if<Name>(&call.function->node);
  const bool is_known =
      name != nullptr && name->definition != nullptr && name->definition->kind != Definition::Kind::kGlobal;
  return is_known ? name->definition : nullptr;
}

}  // namespace

bool is_scalar_type(Type* type) {
  type = resolve(type);
  if (type->kind == Type::Kind::kPair) return is_scalar_type(type->arguments[0]) && is_scalar_type(type->arguments[1]);
  return is_member(type, TypeClass::kScalar);
}

CallCost CostRules::of_call(const Definition& callee, Type* function_type) {
  constexpr CallCost kFree{Charge::kFixed, {}}, kUnit{Charge::kFixed, {1, 1}};
  if (callee.kind == Definition::Kind::kDatatype || callee.intrinsic == Intrinsic::kCheck ||
      callee.intrinsic == Intrinsic::kCheckNumbers)
    return kFree;
  if (callee.prelude) {
    const Type* const type = resolve(function_type);
    if (contains(kOneElement, callee)) return kUnit;
    if (fixed_body(callee) == FixedCost()) return kFree;  // takes a tuple apart
    if (is_scalar_type(type->arguments[0]) && is_scalar_type(type->arguments[1])) return kUnit;
    if (contains(kSorting, callee)) return {Charge::kOfSort, {}};
  }
  if (callee.recursive || takes_functions(callee)) return {};
  if (const std::optional<FixedCost> body = fixed_body(callee)) return {Charge::kFixed, *body};
  if (!callee.prelude || !is_operation(callee, function_type)) return {};
  return {contains(kPartOnly, callee) ? Charge::kOfResult : Charge::kOfValues, {}};
}

std::optional<FixedCost> CostRules::fixed_body(const Definition& definition) {
  if (definition.kind != Definition::Kind::kFunction || definition.body == nullptr || definition.recursive)
    return std::nullopt;
  if (const auto found = bodies_.find(&definition); found != bodies_.end()) return found->second;
  bodies_.emplace(&definition, std::nullopt);
  return bodies_[&definition] = fixed(*definition.body);
}

/// Whether a library function of this type is one operation on sequences: it needs neither recursion nor functions, and
/// does not sort. The types of specializations that use each other shrink.
bool CostRules::is_operation(const Definition& definition, Type* function_type) {
  Type* const type = resolve(function_type);
  if (!definition.prelude || definition.recursive || takes_functions(definition) || contains(kSorting, definition))
    return false;
  const std::pair key(&definition, type);
  if (const auto found = operations_.find(key); found != operations_.end()) return found->second;
  operations_.emplace(key, true);
  const bool result =
      (definition.body == nullptr || has_operations_only(*definition.body)) &&
      std::all_of(definition.specializations.begin(), definition.specializations.end(), [&](const auto& special) {
        Type* const of_special = special->scheme.type;
        return has_function(of_special->arguments[0]) || !may_be(type, of_special) ||
               is_operation(*special, of_special);
      });
  return operations_[key] = result;
}

bool CostRules::has_operations_only(const Expr& expr) {
  const auto* const name = std::get_if<Name>(&expr.node);
  bool good = name == nullptr || name->definition == nullptr || name->definition->kind == Definition::Kind::kGlobal ||
              name->definition->kind == Definition::Kind::kDatatype || is_operation(*name->definition, expr.type);
  if (const auto* each = std::get_if<Each>(&expr.node)) good = good && !each->serial;
  for_each_child(expr, [&](const Expr& child) { good = good && has_operations_only(child); });
  return good;
}

bool CostRules::combines_by_operation(const Call& call) {
  const Definition* const callee = callee_of(call);
  if (callee == nullptr || !callee->prelude || (callee->name != "put_with" && callee->name != "write_with"))
    return false;
  const auto* const operands = std::get_if<Pair>(&call.argument->node);
  const auto* const combine = operands == nullptr ? nullptr : std::get_if<Name>(&operands->first->node);
  if (combine == nullptr || combine->definition == nullptr || !combine->definition->prelude) return false;
  const Type* const type = resolve(operands->first->type);
  return is_scalar_type(type->arguments[0]) && is_scalar_type(type->arguments[1]);
}

std::optional<FixedCost> CostRules::fixed(const Expr& expr) {
  if (const auto found = expressions_.find(&expr); found != expressions_.end()) return found->second;
  const std::optional<FixedCost> cost = compute(expr);
  expressions_.emplace(&expr, cost);
  return cost;
}

std::optional<FixedCost> CostRules::compute(const Expr& expr) {
  FixedCost cost;
  if (const auto* name = std::get_if<Name>(&expr.node)) {
    const bool is_function = name->definition != nullptr && (name->definition->kind != Definition::Kind::kGlobal ||
                                                             has_function(name->definition->scheme.type));
    return is_function ? std::nullopt : std::optional(cost);
  }
  if (const auto* call = std::get_if<Call>(&expr.node)) {
    const Definition* const callee = callee_of(*call);
    if (callee == nullptr) return std::nullopt;
    const CallCost of_callee = of_call(*callee, call->function->type);
    const std::optional<FixedCost> argument = fixed(*call->argument);
    if (of_callee.charge != Charge::kFixed || !argument) return std::nullopt;
    cost = of_callee.fixed;
    return cost += *argument;
  }
  if (const auto* choice = std::get_if<If>(&expr.node)) {
    const auto condition = fixed(*choice->condition), then_cost = fixed(*choice->then_branch),
               else_cost = fixed(*choice->else_branch);
    if (!condition || !then_cost || then_cost != else_cost) return std::nullopt;
    cost = *condition;
    return cost += *then_cost;
  }
  if (std::holds_alternative<Lambda>(expr.node) || std::holds_alternative<Each>(expr.node) ||
      std::holds_alternative<Time>(expr.node))
    return std::nullopt;
  if (const auto* literal = std::get_if<SequenceLiteral>(&expr.node))
    cost = {1 + static_cast<std::int64_t>(literal->elements.size()), 1};
  bool is_fixed = true;
  for_each_child(expr, [&](const Expr& child) {
    const std::optional<FixedCost> part = is_fixed ? fixed(child) : std::nullopt;
    is_fixed = part.has_value();
    if (part) cost += *part;
  });
  return is_fixed ? std::optional(cost) : std::nullopt;
}

}  // namespace nesl
