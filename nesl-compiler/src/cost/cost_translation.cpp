#include "cost_translation.h"

#include <utility>

#include "base/check.h"
#include "body_translation.h"

namespace nesl {

std::shared_ptr<GlobalStatement> CostTranslation::statement(const GlobalStatement& counted) {
  BodyTranslation body(*this, counted.locals);
  auto result = std::make_shared<GlobalStatement>();
  result->source = counted.source;
  if (counted.parameter != nullptr) result->parameter = body.copy(*counted.parameter);
  // let (v, (w, s)) = value and its cost in (w, w - s)
  const Span span = counted.value->span;
  Type* const number = trees_.types().float_;
  const std::uint32_t value = body.new_local(), it = body.new_local();
  BodyTranslation::Start cost;
  PatternPtr pattern = body.start_pattern(cost, span);
  Bindings bindings;
  bindings.emplace_back(trees_.pair(trees_.variable(value, counted.value->type, span), std::move(pattern)),
                        body.with_cost(*counted.value));
  const auto local = [&](std::uint32_t part) { return trees_.local(part, number, span); };
  ExprPtr depth = trees_.library_call("-", {number}, trees_.pair(local(*cost.work), local(*cost.slack)));
  result->value = trees_.let(std::move(bindings), trees_.pair(local(*cost.work), std::move(depth)));
  result->pattern = trees_.variable(it, trees_.cost(), span);
  result->locals = body.locals();
  return result;
}

Definition& CostTranslation::copy_of(Definition& original) {
  Definition& to = definitions_.emplace_back(Definition{.kind = Definition::Kind::kFunction, .name = original.name});
  to.source = original.source;
  to.span = original.span;
  to.prelude = original.prelude;
  to.serial_only = original.serial_only;
  to.recursive = original.recursive;
  return to;
}

void CostTranslation::set_type(const Definition& original, Definition& to) {
  const Type* const type = resolve(original.scheme.type);
  VC_CHECK(type->kind == Type::Kind::kFunction);
  to.scheme = {original.scheme.quantified,
               trees_.types().function(trees_.with_cost(type->arguments[0]), trees_.with_cost(type->arguments[1]))};
}

Definition& CostTranslation::function(Definition& original) {
  if (const auto found = translated_.find(&original); found != translated_.end()) return *found->second;
  Definition& to = copy_of(original);
  translated_.emplace(&original, &to);
  set_type(original, to);
  translate(original, to);
  return to;
}

void CostTranslation::translate(Definition& original, Definition& to) {
  const bool by_definition = rules_.of_call(original, original.scheme.type).charge == Charge::kByDefinition;
  if (by_definition)
    for (const auto& special : original.specializations) {
      auto translated = std::make_unique<Definition>(Definition{.kind = Definition::Kind::kFunction, .name = to.name});
      translated->source = special->source;
      translated->span = special->span;
      translated->prelude = special->prelude;
      translated->recursive = special->recursive;
      set_type(*special, *translated);
      Definition& target = *translated;
      to.specializations.push_back(std::move(translated));
      translate(*special, target);
    }
  if (!by_definition) return wrap(original, to);
  if (original.body == nullptr) return;  // a specialization fits each use
  BodyTranslation body(*this, original.locals);
  BodyTranslation::Start start;
  PatternPtr parameter = body.copy(*original.parameter);
  to.parameter = trees_.pair(std::move(parameter), body.start_pattern(start, original.span));
  to.body = body.with_cost(*original.body, start);
  to.locals = body.locals();
}

/// Makes the function x => original(x), with the cost of that call.
void CostTranslation::wrap(Definition& original, Definition& to) {
  const Type* const type = resolve(original.scheme.type);
  BodyTranslation body(*this, 1);
  BodyTranslation::Start start;
  to.parameter =
      trees_.pair(trees_.variable(0, type->arguments[0], original.span), body.start_pattern(start, original.span));
  calls_.push_back(std::move(*trees_.call(trees_.name(original, original.scheme.quantified, original.span),
                                          trees_.local(0, type->arguments[0], original.span), type->arguments[1])));
  to.body = body.with_cost(calls_.back(), start);
  to.locals = body.locals();
}

Definition& CostTranslation::global(Definition& original) {
  if (const auto found = translated_.find(&original); found != translated_.end()) return *found->second;
  Definition& to = copy_of(original);
  translated_.emplace(&original, &to);
  to.kind = Definition::Kind::kGlobal;
  to.scheme = original.scheme;
  to.local = original.local;
  const GlobalStatement& statement = *original.statement;
  BodyTranslation body(*this, statement.locals);
  to.statement = std::make_shared<GlobalStatement>();
  to.statement->source = statement.source;
  to.statement->pattern = body.copy(*statement.pattern);
  to.statement->value = body.without_cost(*statement.value);
  to.statement->locals = body.locals();
  return to;
}

}  // namespace nesl
