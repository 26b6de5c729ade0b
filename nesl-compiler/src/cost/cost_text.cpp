// Work and depth of functions in words. The depth of a function without recursion, sorting and functions as arguments
// has a bound: those of the operations one after the other, of conditionals the larger one of both branches.
//
//   function dot(a, b) = sum({x * y : x in a; y in b})     an apply-to-each, * inside it, and sum: depth at most 3
#include "cost_text.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "cost_rules.h"
#include "facts/expression_facts.h"

namespace nesl {

namespace {

class DepthBounds {
 public:
  explicit DepthBounds(CostRules& rules) : rules_(rules) {}

  /// Largest depth of calling a definition where it has this type, without its argument; nothing if there is no bound.
  std::optional<std::int64_t> of_call(const Definition& callee, Type* type) {
    const CallCost cost = rules_.of_call(callee, type);
    switch (cost.charge) {
      case Charge::kFixed:
        return cost.fixed.depth;
      case Charge::kOfResult:
      case Charge::kOfValues:
        return 1;
      case Charge::kOfSort:
        return std::nullopt;
      case Charge::kByDefinition:
        break;
    }
    const bool has_bound = callee.body != nullptr && !callee.recursive && callee.specializations.empty();
    if (!has_bound) return std::nullopt;
    if (const auto found = bodies_.find(&callee); found != bodies_.end()) return found->second;
    bodies_.emplace(&callee, std::nullopt);
    return bodies_[&callee] = of(*callee.body);
  }

 private:
  std::optional<std::int64_t> of(const Expr& expr) {
    if (const auto* call = std::get_if<Call>(&expr.node)) {
      if (rules_.combines_by_operation(*call)) return sum({1, of_parts(*call->argument)});
      const auto* name = std::get_if<Name>(&call->function->node);
      const bool is_known =
          name != nullptr && name->definition != nullptr && name->definition->kind != Definition::Kind::kGlobal;
      if (!is_known) return std::nullopt;
      return sum({of_call(*name->definition, call->function->type), of(*call->argument)});
    }
    if (const auto* choice = std::get_if<If>(&expr.node)) {
      const auto then_depth = of(*choice->then_branch), else_depth = of(*choice->else_branch);
      if (!then_depth || !else_depth) return std::nullopt;
      return sum({of(*choice->condition), std::max(*then_depth, *else_depth)});
    }
    if (const auto* each = std::get_if<Each>(&expr.node); each != nullptr && each->serial) return std::nullopt;
    if (std::holds_alternative<Lambda>(expr.node)) return std::nullopt;
    const bool is_operation =
        std::holds_alternative<Each>(expr.node) || std::holds_alternative<SequenceLiteral>(expr.node);
    return sum({is_operation ? 1 : 0, of_parts(expr)});
  }

  std::optional<std::int64_t> of_parts(const Expr& expr) {
    std::optional<std::int64_t> depth = 0;
    for_each_child(expr, [&](const Expr& child) { depth = sum({depth, of(child)}); });
    return depth;
  }

  static std::optional<std::int64_t> sum(std::initializer_list<std::optional<std::int64_t>> depths) {
    std::int64_t total = 0;
    for (const std::optional<std::int64_t> depth : depths) {
      if (!depth) return std::nullopt;
      total += *depth;
    }
    return total;
  }

  CostRules& rules_;
  std::unordered_map<const Definition*, std::optional<std::int64_t>> bodies_;
};

}  // namespace

std::string cost_text(const Definition& definition) {
  if (definition.kind == Definition::Kind::kGlobal || definition.kind == Definition::Kind::kDatatype) return "";
  CostRules rules;
  Type* const type = definition.scheme.type;
  const CallCost cost = rules.of_call(definition, type);
  switch (cost.charge) {
    case Charge::kFixed:
      return fmt::format("Work {}, depth {}.", cost.fixed.work, cost.fixed.depth);
    case Charge::kOfResult:
      return "Work 1 + n, depth 1 for n elements of the result.";
    case Charge::kOfValues:
      return "Work 1 + n, depth 1 for n elements of the arguments or of the result, whichever are more.";
    case Charge::kOfSort:
      return "Work 1 + n lg n, depth 1 + lg n for n elements.";
    case Charge::kByDefinition:
      break;
  }
  const std::optional<std::int64_t> depth = DepthBounds(rules).of_call(definition, type);
  return depth ? fmt::format("Depth at most {}, whatever the values.", *depth) : "";
}

}  // namespace nesl
