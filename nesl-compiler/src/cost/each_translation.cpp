// Apply-to-eaches.
#include <utility>

#include "body_translation.h"
#include "facts/expression_facts.h"

namespace nesl {

ExprPtr BodyTranslation::value_of_each(const Each& each, Block& block) {
  const std::optional<FixedCost> of_body = rules_.fixed(*each.body);
  const std::optional<FixedCost> of_filter = each.filter == nullptr ? FixedCost() : rules_.fixed(*each.filter);
  Bindings bindings;
  for (const auto& [pattern, sequence] : each.bindings) {
    ExprPtr elements = value(*sequence, block);
    if (bindings.empty() || !of_filter) elements = bind_value(std::move(elements), block);
    bindings.emplace_back(nullptr, std::move(elements));
  }
  if (!of_filter) return each_with_two_costs(each, std::move(bindings), block);
  for (std::size_t k = 0; k < bindings.size(); ++k) bindings[k].first = copy(*each.bindings[k].first);
  add_for_each(*of_filter, each.serial, *bindings[0].second, block);
  if (of_body) return each_of_fixed_body(each, std::move(bindings), block);
  const Span span = each.body->span;
  ExprPtr filter = each.filter == nullptr ? nullptr : copy(*each.filter);
  ExprPtr results =
      bind_value(trees_.each(each.serial, with_cost(*each.body), std::move(bindings), std::move(filter), span), block);
  add(trees_.library_call(each.serial ? "cost_of_serial_each" : "cost_of_each", {each.body->type},
                          clone_expression(*results)),
      block);
  return values_of(*results, span);
}

ExprPtr BodyTranslation::each_of_fixed_body(const Each& each, Bindings bindings, Block& block) {
  const FixedCost of_body = *rules_.fixed(*each.body);
  block.fixed += {1, 1};
  const Span span = each.body->span;
  if (each.filter == nullptr) {
    add_for_each(of_body, each.serial, *bindings[0].second, block);
    return trees_.each(each.serial, copy(*each.body), std::move(bindings), nullptr, span);
  }
  ExprPtr result =
      bind_value(trees_.each(each.serial, copy(*each.body), std::move(bindings), copy(*each.filter), span), block);
  add_for_each(of_body, each.serial, *result, block);
  return result;
}

/// With a condition whose cost depends on the element: first the conditions of all elements, with new variables for
/// these, and then the values of the elements that are kept.
ExprPtr BodyTranslation::each_with_two_costs(const Each& each, Bindings bindings, Block& block) {
  const Span span = each.filter->span;
  Bindings tested;
  for (const auto& [pattern, sequence] : each.bindings)
    for_each_variable(*pattern, [&](const Pattern& variable) { renamed_[variable.local] = new_local(); });
  for (std::size_t k = 0; k < bindings.size(); ++k) {
    tested.emplace_back(copy(*each.bindings[k].first), clone_expression(*bindings[k].second));
  }
  ExprPtr tests =
      bind_value(trees_.each(each.serial, with_cost(*each.filter), std::move(tested), nullptr, span), block);
  for (const auto& [pattern, sequence] : each.bindings)
    for_each_variable(*pattern, [&](const Pattern& variable) { renamed_.erase(variable.local); });

  for (std::size_t k = 0; k < bindings.size(); ++k) bindings[k].first = copy(*each.bindings[k].first);
  const std::uint32_t keeps = new_local();
  Start test;
  PatternPtr cost_of_test = start_pattern(test, span);
  bindings.emplace_back(trees_.pair(trees_.variable(keeps, each.filter->type, span), std::move(cost_of_test)),
                        clone_expression(*tests));
  ExprPtr body;
  if (each.serial) {
    body = with_cost(*each.body);
  } else {
    // Work 0, and the depth of the test.
    Type* const number = trees_.types().float_;
    const Start start{{}, new_local()};
    ExprPtr parts = trees_.pair(trees_.local(*test.slack, number, span), trees_.local(*test.work, number, span));
    Bindings begin;
    begin.emplace_back(trees_.variable(*start.slack, number, span),
                       trees_.library_call("-", {number}, std::move(parts)));
    body = trees_.let(std::move(begin), with_cost(*each.body, start));
  }
  ExprPtr results = bind_value(trees_.each(each.serial, std::move(body), std::move(bindings),
                                           trees_.local(keeps, each.filter->type, span), span),
                               block);
  ExprPtr both = trees_.pair(clone_expression(*tests), clone_expression(*results));
  add(trees_.library_call(each.serial ? "cost_of_serial_filtered" : "cost_of_filtered", {each.body->type},
                          std::move(both)),
      block);
  return values_of(*results, span);
}

void BodyTranslation::add_for_each(const FixedCost& cost, bool serial, const Expr& sequence, Block& block) {
  if (cost == FixedCost()) return;
  const Span span = sequence.span;
  Type* const number = trees_.types().float_;
  Type* const element = resolve(sequence.type)->arguments[0];
  ExprPtr count = trees_.library_call("#", {element}, clone_expression(sequence));
  count = trees_.library_call("float", {}, std::move(count));
  if (serial) count = bind_value(std::move(count), block);
  const auto literal = [&](std::int64_t value) { return trees_.number(static_cast<double>(value), span); };
  if (!serial) {
    ExprPtr each = trees_.pair(literal(cost.work), literal(cost.depth));
    return add(trees_.library_call("cost_of_elements", {}, trees_.pair(std::move(count), std::move(each))), block);
  }
  const auto times = [&](std::int64_t value) {
    return bind_value(trees_.library_call("*", {number}, trees_.pair(clone_expression(*count), literal(value))), block);
  };
  block.work.push_back(times(cost.work));
  if (cost.work != cost.depth) block.slack.push_back(times(cost.work - cost.depth));
}

ExprPtr BodyTranslation::values_of(const Expr& results, Span span) {
  const Type* const parts = resolve(resolve(results.type)->arguments[0]);
  const std::uint32_t value = new_local(), cost = new_local();
  Bindings bindings;
  bindings.emplace_back(
      trees_.pair(trees_.variable(value, parts->arguments[0], span), trees_.variable(cost, trees_.cost(), span)),
      clone_expression(results));
  return trees_.each(false, trees_.local(value, parts->arguments[0], span), std::move(bindings), nullptr, span);
}

}  // namespace nesl
