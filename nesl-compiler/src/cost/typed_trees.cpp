#include "typed_trees.h"

#include "base/check.h"

namespace nesl {

ExprPtr TypedTrees::make(Span span, Type* type, Expr::Node node) const {
  return std::make_unique<Expr>(Expr{span, std::move(node), type});
}

ExprPtr TypedTrees::local(std::uint32_t number, Type* type, Span span) const {
  return make(span, type, Name{.name = "(cost)", .local = number});
}

ExprPtr TypedTrees::number(double value, Span span) const { return make(span, types_.float_, FloatLiteral{value}); }

ExprPtr TypedTrees::pair(ExprPtr first, ExprPtr rest) const {
  const Span span = first->span;
  Type* const type = types_.pair(first->type, rest->type);
  return make(span, type, Pair{std::move(first), std::move(rest)});
}

ExprPtr TypedTrees::if_then_else(ExprPtr condition, ExprPtr then_branch, ExprPtr else_branch) const {
  const Span span = condition->span;
  Type* const type = then_branch->type;
  return make(span, type, If{std::move(condition), std::move(then_branch), std::move(else_branch)});
}

ExprPtr TypedTrees::let(Bindings bindings, ExprPtr body) const {
  if (bindings.empty()) return body;
  const Span span = body->span;
  Type* const type = body->type;
  return make(span, type, Let{std::move(bindings), std::move(body)});
}

ExprPtr TypedTrees::each(bool serial, ExprPtr body, Bindings bindings, ExprPtr filter, Span span) const {
  Type* const type = types_.sequence(body->type);
  return make(span, type, Each{serial, std::move(body), std::move(bindings), std::move(filter)});
}

ExprPtr TypedTrees::name(Definition& definition, std::vector<Type*> instantiation, Span span) const {
  const Scheme& scheme = definition.scheme;
  Type* const type = types_.substitute(scheme.type, scheme.quantified, instantiation);
  return make(span, type,
              Name{.name = definition.name, .definition = &definition, .instantiation = std::move(instantiation)});
}

ExprPtr TypedTrees::call(ExprPtr function, ExprPtr argument, Type* result) const {
  const Span span = function->span;
  return make(span, result, Call{std::move(function), std::move(argument)});
}

ExprPtr TypedTrees::library_call(const char* function, std::vector<Type*> instantiation, ExprPtr argument) const {
  Definition* const definition = environment_.find_in_library(function);
  VC_CHECK(definition != nullptr);
  ExprPtr called = name(*definition, std::move(instantiation), argument->span);
  Type* const result = resolve(called->type)->arguments[1];
  return call(std::move(called), std::move(argument), result);
}

ExprPtr TypedTrees::sum(ExprPtr a, ExprPtr b) const {
  return library_call("+", {types_.float_}, pair(std::move(a), std::move(b)));
}

PatternPtr TypedTrees::variable(std::uint32_t number, Type* type, Span span) const {
  auto pattern = std::make_unique<Pattern>();
  pattern->span = span;
  pattern->name = "(cost)";
  pattern->type = type;
  pattern->local = number;
  return pattern;
}

PatternPtr TypedTrees::pair(PatternPtr first, PatternPtr rest) const {
  auto pattern = std::make_unique<Pattern>();
  pattern->kind = Pattern::Kind::kPair;
  pattern->span = first->span;
  pattern->type = types_.pair(first->type, rest->type);
  pattern->parts.push_back(std::move(first));
  pattern->parts.push_back(std::move(rest));
  return pattern;
}

}  // namespace nesl
