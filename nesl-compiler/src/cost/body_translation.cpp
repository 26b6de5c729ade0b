#include "body_translation.h"

#include <utility>

#include "base/check.h"

namespace nesl {

namespace {

/// Whether an expression can be evaluated twice: a variable or a literal.
bool is_atomic(const Expr& expr) {
  if (const auto* name = std::get_if<Name>(&expr.node)) return name->definition == nullptr;
  return std::holds_alternative<IntLiteral>(expr.node) || std::holds_alternative<FloatLiteral>(expr.node) ||
         std::holds_alternative<BoolLiteral>(expr.node) || std::holds_alternative<CharLiteral>(expr.node) ||
         std::holds_alternative<StringLiteral>(expr.node);
}

bool is_function_type(Type* type) { return resolve(type)->kind == Type::Kind::kFunction; }

}  // namespace

PatternPtr BodyTranslation::start_pattern(Start& start, Span span) {
  Type* const number = trees_.types().float_;
  start = {new_local(), new_local()};
  return trees_.pair(trees_.variable(*start.work, number, span), trees_.variable(*start.slack, number, span));
}

ExprPtr BodyTranslation::with_cost(const Expr& expr, const Start& start) {
  Block block;
  ExprPtr result = with_cost_in(expr, start, block);
  return trees_.let(std::move(block.bindings), std::move(result));
}

ExprPtr BodyTranslation::without_cost(const Expr& expr) {
  Block block;
  ExprPtr result = value(expr, block);
  return trees_.let(std::move(block.bindings), std::move(result));
}

ExprPtr BodyTranslation::with_cost_in(const Expr& expr, const Start& start, Block& block) {
  if (!rules_.fixed(expr)) {
    if (const auto* let = std::get_if<Let>(&expr.node)) {
      bind_let(*let, block);
      return with_cost_in(*let->body, start, block);
    }
    if (const auto* choice = std::get_if<If>(&expr.node);
        choice != nullptr && !(rules_.fixed(*choice->then_branch) && rules_.fixed(*choice->else_branch))) {
      ExprPtr condition = value(*choice->condition, block);
      const Start now = settle(start, block, expr.span);
      ExprPtr then_branch = with_cost(*choice->then_branch, now);
      return trees_.if_then_else(std::move(condition), std::move(then_branch), with_cost(*choice->else_branch, now));
    }
    if (const auto* call = std::get_if<Call>(&expr.node);
        call != nullptr && cost_of(*call).charge == Charge::kByDefinition)
      return translated_call(expr, *call, &start, block);
  }
  ExprPtr result = value(expr, block);
  return trees_.pair(std::move(result), total(start, block, expr.span));
}

ExprPtr BodyTranslation::value(const Expr& expr, Block& block) {
  ExprPtr result;
  if (const std::optional<FixedCost> cost = rules_.fixed(expr)) {
    block.fixed += *cost;
    result = copy(expr);
  } else if (const auto* let = std::get_if<Let>(&expr.node)) {
    bind_let(*let, block);
    return value(*let->body, block);
  } else if (const auto* pair = std::get_if<Pair>(&expr.node)) {
    ExprPtr first = value(*pair->first, block);
    return trees_.pair(std::move(first), value(*pair->rest, block));
  } else if (const auto* name = std::get_if<Name>(&expr.node)) {
    return value_of_name(expr, *name);
  } else if (const auto* lambda = std::get_if<Lambda>(&expr.node)) {
    return value_of_lambda(expr, *lambda);
  } else if (const auto* choice = std::get_if<If>(&expr.node)) {
    result = value_of_if(expr, *choice, block);
  } else if (const auto* call = std::get_if<Call>(&expr.node)) {
    const CallCost of_call = cost_of(*call);
    if (of_call.charge == Charge::kByDefinition)
      return take(translated_call(expr, *call, nullptr, block), expr.type, block);
    result = operation(expr, *call, of_call, block);
  } else if (const auto* each = std::get_if<Each>(&expr.node)) {
    result = value_of_each(*each, block);
  } else if (const auto* time = std::get_if<Time>(&expr.node)) {
    return value_of_time(expr, *time, block);
  } else if (const auto* literal = std::get_if<SequenceLiteral>(&expr.node)) {
    SequenceLiteral translated;
    for (const ExprPtr& element : literal->elements) translated.elements.push_back(value(*element, block));
    block.fixed += {1 + static_cast<std::int64_t>(literal->elements.size()), 1};
    return trees_.make(expr.span, expr.type, std::move(translated));
  } else {
    const auto* field = std::get_if<Field>(&expr.node);
    VC_CHECK(field != nullptr);  // inference has removed optional arguments, and literals have a fixed cost
    ExprPtr record = value(*field->record, block);
    return trees_.make(expr.span, expr.type,
                       Field{std::move(record), field->name, field->name_span, field->datatype, field->position});
  }
  // Random numbers must be drawn in the order of the original.
  return all_.facts().side_effects(expr).draws ? bind_value(std::move(result), block) : std::move(result);
}

void BodyTranslation::bind_let(const Let& let, Block& block) {
  for (const auto& [pattern, bound] : let.bindings) {
    ExprPtr translated = value(*bound, block);
    block.bindings.emplace_back(copy(*pattern), std::move(translated));
  }
}

ExprPtr BodyTranslation::value_of_name(const Expr& expr, const Name& name) const {
  VC_CHECK(name.definition != nullptr);  // variables have a fixed cost
  const bool is_global = name.definition->kind == Definition::Kind::kGlobal;
  Name translated = name;
  translated.definition = is_global ? &all_.global(*name.definition) : &all_.function(*name.definition);
  return trees_.make(expr.span, expr.type, std::move(translated));
}

ExprPtr BodyTranslation::value_of_lambda(const Expr& expr, const Lambda& lambda) {
  Start start;
  PatternPtr cost = start_pattern(start, expr.span);
  PatternPtr parameter = trees_.pair(copy(*lambda.parameter), std::move(cost));
  return trees_.make(expr.span, expr.type, Lambda{std::move(parameter), with_cost(*lambda.body, start)});
}

ExprPtr BodyTranslation::value_of_if(const Expr& expr, const If& choice, Block& block) {
  ExprPtr condition = value(*choice.condition, block);
  const std::optional<FixedCost> a = rules_.fixed(*choice.then_branch), b = rules_.fixed(*choice.else_branch);
  if (!a || !b) {
    ExprPtr then_branch = with_cost(*choice.then_branch);
    return take(trees_.if_then_else(std::move(condition), std::move(then_branch), with_cost(*choice.else_branch)),
                expr.type, block);
  }
  if (a == b) {
    block.fixed += *a;
  } else {
    if (!is_atomic(*condition)) condition = bind_value(std::move(condition), block);
    const Span span = expr.span;
    const auto either = [&](std::int64_t yes, std::int64_t no) {
      return trees_.if_then_else(clone_expression(*condition), trees_.number(static_cast<double>(yes), span),
                                 trees_.number(static_cast<double>(no), span));
    };
    ExprPtr work = bind_value(either(a->work, b->work), block);
    const bool is_equal = a->work == a->depth && b->work == b->depth;
    if (!is_equal) block.slack.push_back(bind_value(either(a->work - a->depth, b->work - b->depth), block));
    block.work.push_back(std::move(work));
  }
  ExprPtr then_branch = copy(*choice.then_branch);
  return trees_.if_then_else(std::move(condition), std::move(then_branch), copy(*choice.else_branch));
}

CallCost BodyTranslation::cost_of(const Call& call) {
  const auto* const name = std::get_if<Name>(&call.function->node);
  if (name == nullptr || name->definition == nullptr || name->definition->kind == Definition::Kind::kGlobal) return {};
  if (rules_.combines_by_operation(call)) return {Charge::kOfValues, {}};
  return rules_.of_call(*name->definition, call.function->type);
}

ExprPtr BodyTranslation::translated_call(const Expr& expr, const Call& call, const Start* start, Block& block) {
  const auto* const name = std::get_if<Name>(&call.function->node);
  const bool is_known =
      name != nullptr && name->definition != nullptr && name->definition->kind != Definition::Kind::kGlobal;
  ExprPtr function = is_known ? trees_.name(all_.function(*name->definition), name->instantiation, call.function->span)
                              : value(*call.function, block);
  ExprPtr argument = value(*call.argument, block);
  ExprPtr cost = start != nullptr ? total(*start, block, expr.span)
                                  : trees_.pair(trees_.number(0, expr.span), trees_.number(0, expr.span));
  argument = trees_.pair(std::move(argument), std::move(cost));
  ExprPtr result = trees_.call(std::move(function), std::move(argument), trees_.with_cost(expr.type));
  result->span = expr.span;
  return result;
}

ExprPtr BodyTranslation::operation(const Expr& expr, const Call& call, const CallCost& cost, Block& block) {
  ExprPtr argument;
  if (const auto* operands = std::get_if<Pair>(&call.argument->node);
      operands != nullptr && rules_.combines_by_operation(call)) {
    ExprPtr combine = copy(*operands->first);
    argument = trees_.pair(std::move(combine), value(*operands->rest, block));
  } else {
    argument = value(*call.argument, block);
  }
  const auto apply = [&] {
    ExprPtr result = trees_.call(copy(*call.function), std::move(argument), expr.type);
    result->span = expr.span;
    return result;
  };
  if (cost.charge == Charge::kFixed) {
    block.fixed += cost.fixed;
    return apply();
  }
  argument = atoms(std::move(argument), block);
  if (cost.charge == Charge::kOfSort) {
    Type* const element = resolve(argument->type)->arguments[0];
    add(trees_.library_call("cost_of_sort", {element}, clone_expression(*argument)), block);
    return apply();
  }
  block.fixed += {1, 1};
  ExprPtr amount = cost.charge == Charge::kOfValues ? length(*argument) : nullptr;
  ExprPtr result = bind_value(apply(), block);
  if (ExprPtr of_result = length(*result)) {
    Type* const number = trees_.types().float_;
    amount = amount == nullptr
                 ? std::move(of_result)
                 : trees_.library_call("max", {number}, trees_.pair(std::move(amount), std::move(of_result)));
  }
  if (amount != nullptr) {
    block.work.push_back(bind_value(std::move(amount), block));
    block.slack.push_back(clone_expression(*block.work.back()));
  }
  return result;
}

ExprPtr BodyTranslation::value_of_time(const Expr& expr, const Time& time, Block& block) {
  Type* const type = time.expression->type;
  Type* const number = trees_.types().float_;
  const std::uint32_t result = new_local(), seconds = new_local();
  Start cost;
  PatternPtr pattern = start_pattern(cost, expr.span);
  pattern = trees_.pair(trees_.pair(trees_.variable(result, type, expr.span), std::move(pattern)),
                        trees_.variable(seconds, number, expr.span));
  ExprPtr timed =
      trees_.make(expr.span, trees_.types().pair(trees_.with_cost(type), number), Time{with_cost(*time.expression)});
  block.bindings.emplace_back(std::move(pattern), std::move(timed));
  block.work.push_back(trees_.local(*cost.work, number, expr.span));
  block.slack.push_back(trees_.local(*cost.slack, number, expr.span));
  return trees_.pair(trees_.local(result, type, expr.span), trees_.local(seconds, number, expr.span));
}

ExprPtr BodyTranslation::take(ExprPtr value_and_cost, Type* type, Block& block) {
  const Span span = value_and_cost->span;
  Type* const number = trees_.types().float_;
  const std::uint32_t result = new_local();
  Start cost;
  PatternPtr pattern = start_pattern(cost, span);
  block.bindings.emplace_back(trees_.pair(trees_.variable(result, type, span), std::move(pattern)),
                              std::move(value_and_cost));
  block.work.push_back(trees_.local(*cost.work, number, span));
  block.slack.push_back(trees_.local(*cost.slack, number, span));
  return trees_.local(result, type, span);
}

void BodyTranslation::add(ExprPtr cost, Block& block) {
  const Span span = cost->span;
  Type* const number = trees_.types().float_;
  Start parts;
  PatternPtr pattern = start_pattern(parts, span);
  block.bindings.emplace_back(std::move(pattern), std::move(cost));
  block.work.push_back(trees_.local(*parts.work, number, span));
  block.slack.push_back(trees_.local(*parts.slack, number, span));
}

ExprPtr BodyTranslation::total(const Start& start, Block& block, Span span) {
  const auto sum = [&](std::optional<std::uint32_t> begin, std::int64_t fixed, std::vector<ExprPtr>& terms) {
    ExprPtr all;
    const auto plus = [&](ExprPtr term) {
      all = all == nullptr ? std::move(term) : trees_.sum(std::move(all), std::move(term));
    };
    if (begin) plus(trees_.local(*begin, trees_.types().float_, span));
    if (fixed != 0 || (!begin && terms.empty())) plus(trees_.number(static_cast<double>(fixed), span));
    for (ExprPtr& term : terms) plus(std::move(term));
    terms.clear();
    return all;
  };
  ExprPtr work = sum(start.work, block.fixed.work, block.work);
  ExprPtr slack = sum(start.slack, block.fixed.work - block.fixed.depth, block.slack);
  block.fixed = {};
  return trees_.pair(std::move(work), std::move(slack));
}

BodyTranslation::Start BodyTranslation::settle(const Start& start, Block& block, Span span) {
  if (block.fixed == FixedCost() && block.work.empty() && block.slack.empty()) return start;
  ExprPtr cost = total(start, block, span);
  Start now;
  PatternPtr pattern = start_pattern(now, span);
  block.bindings.emplace_back(std::move(pattern), std::move(cost));
  return now;
}

ExprPtr BodyTranslation::length(const Expr& value) const {
  if (is_scalar_type(value.type) || is_function_type(value.type)) return nullptr;
  const auto* const pair = std::get_if<Pair>(&value.node);
  if (pair == nullptr) return trees_.library_call("cost_length", {value.type}, clone_expression(value));
  ExprPtr first = length(*pair->first), rest = length(*pair->rest);
  if (first == nullptr || rest == nullptr) return first == nullptr ? std::move(rest) : std::move(first);
  return trees_.sum(std::move(first), std::move(rest));
}

ExprPtr BodyTranslation::atoms(ExprPtr expr, Block& block) {
  if (is_scalar_type(expr->type) || is_function_type(expr->type) || is_atomic(*expr)) return expr;
  if (auto* pair = std::get_if<Pair>(&expr->node)) {
    pair->first = atoms(std::move(pair->first), block);
    pair->rest = atoms(std::move(pair->rest), block);
    return expr;
  }
  return bind_value(std::move(expr), block);
}

ExprPtr BodyTranslation::bind_value(ExprPtr expr, Block& block) {
  if (is_atomic(*expr)) return expr;
  const Span span = expr->span;
  Type* const type = expr->type;
  const std::uint32_t number = new_local();
  block.bindings.emplace_back(trees_.variable(number, type, span), std::move(expr));
  return trees_.local(number, type, span);
}

}  // namespace nesl
