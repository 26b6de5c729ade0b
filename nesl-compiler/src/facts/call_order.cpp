#include "call_order.h"

#include <algorithm>

namespace nesl {

namespace {

/// Calls visit(part) for the parts of an expression that every instance evaluates, whichever branches it takes, in the
/// order of evaluation.
template <class Visit>
void for_each_part(const Expr& expr, Visit&& visit) {
  if (const auto* call = std::get_if<Call>(&expr.node)) {
    visit(*call->function);
    visit(*call->argument);
  } else if (const auto* pair = std::get_if<Pair>(&expr.node)) {
    visit(*pair->first);
    visit(*pair->rest);
  } else if (const auto* choice = std::get_if<If>(&expr.node)) {
    visit(*choice->condition);
  } else if (const auto* let = std::get_if<Let>(&expr.node)) {
    for (const auto& [pattern, value] : let->bindings) visit(*value);
    visit(*let->body);
  } else if (const auto* sequence = std::get_if<SequenceLiteral>(&expr.node)) {
    for (const auto& element : sequence->elements) visit(*element);
  } else if (const auto* field = std::get_if<Field>(&expr.node)) {
    visit(*field->record);
  } else if (const auto* each = std::get_if<Each>(&expr.node)) {
    for (const auto& [pattern, value] : each->bindings) visit(*value);
  }
}

}  // namespace

const std::string& CallOrder::unit(const Expr& call) {
  auto [entry, is_new] = units_.try_emplace(&call);
  if (is_new) entry->second = unit_of_(call);
  return entry->second;
}

int CallOrder::longest(const Expr& expr) {
  if (auto known = longest_.find(&expr); known != longest_.end()) return known->second;
  int calls = 0;
  if (!ready_(expr)) {
    for_each_part(expr, [&](const Expr& part) { calls += longest(part); });
    if (const auto* choice = std::get_if<If>(&expr.node))
      calls += std::max(longest(*choice->then_branch), longest(*choice->else_branch));
    if (std::holds_alternative<Call>(expr.node) && !unit(expr).empty()) ++calls;
  }
  longest_.emplace(&expr, calls);
  return calls;
}

/// Appends the next calls of the expression, on those paths that make as many calls as the longest path. `after` is the
/// number of calls behind the expression.
void CallOrder::look(const Expr& expr, int after, std::vector<const Expr*>& found) {
  std::vector<const Expr*> parts;
  for_each_part(expr, [&](const Expr& part) { parts.push_back(&part); });
  const auto first = std::find_if(parts.begin(), parts.end(), [&](const Expr* part) { return longest(*part) > 0; });
  if (first != parts.end()) {
    int behind = after + longest(expr) - longest(**first);
    return look(**first, behind, found);
  }
  if (const auto* choice = std::get_if<If>(&expr.node)) {
    for (const Expr* branch : {choice->then_branch.get(), choice->else_branch.get()})
      if (longest(*branch) > 0 && longest(*branch) + after == total_) look(*branch, after, found);
    return;
  }
  found.push_back(&expr);
}

const std::vector<const Expr*>& CallOrder::advance(const Expr& root) {
  longest_.clear();
  due_.clear();
  reaching_.clear();
  completes_ = false;
  total_ = longest(root);
  if (total_ == 0) return due_;
  std::vector<const Expr*> found;
  look(root, 0, found);
  std::copy_if(found.begin(), found.end(), std::back_inserter(due_),
               [&](const Expr* call) { return unit(*call) == unit(*found[0]); });
  completes_ = ends_in_due(root);
  note_reaching(root);
  return due_;
}

bool CallOrder::ends_in_due(const Expr& expr) const {
  if (const auto* choice = std::get_if<If>(&expr.node))
    return ends_in_due(*choice->then_branch) && ends_in_due(*choice->else_branch);
  if (const auto* let = std::get_if<Let>(&expr.node)) return ends_in_due(*let->body);
  return std::find(due_.begin(), due_.end(), &expr) != due_.end();
}

bool CallOrder::note_reaching(const Expr& expr) {
  if (longest(expr) == 0) return false;
  bool any = std::find(due_.begin(), due_.end(), &expr) != due_.end();
  for_each_part(expr, [&](const Expr& part) { any = note_reaching(part) || any; });
  if (const auto* choice = std::get_if<If>(&expr.node)) {
    any = note_reaching(*choice->then_branch) || any;
    any = note_reaching(*choice->else_branch) || any;
  }
  if (any) reaching_.insert(&expr);
  return any;
}

void CallOrder::append_units(const Expr& expr, std::vector<std::string>& units) {
  if (ready_(expr)) return;
  for_each_part(expr, [&](const Expr& part) { append_units(part, units); });
  if (const auto* choice = std::get_if<If>(&expr.node)) {
    append_units(*choice->then_branch, units);
    append_units(*choice->else_branch, units);
  }
  if (std::holds_alternative<Call>(expr.node) && !unit(expr).empty()) units.push_back(unit(expr));
}

bool CallOrder::joins(const If& node) {
  std::vector<std::string> a, b;
  append_units(*node.then_branch, a);
  if (a.empty()) return false;
  append_units(*node.else_branch, b);
  return std::any_of(a.begin(), a.end(),
                     [&](const std::string& text) { return std::find(b.begin(), b.end(), text) != b.end(); });
}

void CallOrder::for_each_binding(const Expr& expr, const std::function<void(const Pattern&, const Expr&)>& visit) {
  if (const auto* let = std::get_if<Let>(&expr.node))
    for (const auto& [pattern, value] : let->bindings) visit(*pattern, *value);
  for_each_part(expr, [&](const Expr& part) { for_each_binding(part, visit); });
  if (const auto* choice = std::get_if<If>(&expr.node)) {
    for_each_binding(*choice->then_branch, visit);
    for_each_binding(*choice->else_branch, visit);
  }
}

}  // namespace nesl
