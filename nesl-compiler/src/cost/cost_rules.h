#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "syntax/ast.h"
#include "types/definition.h"

namespace nesl {

/// Work and depth that do not depend on values.
struct FixedCost {
  std::int64_t work = 0, depth = 0;
  FixedCost& operator+=(const FixedCost& other) {
    work += other.work;
    depth += other.depth;
    return *this;
  }
  friend bool operator==(const FixedCost&, const FixedCost&) = default;
};

/// Rule for the cost of calling a definition, without that of its argument.
enum class Charge : std::uint8_t {
  kFixed,         ///< work and depth as in CallCost::fixed
  kOfResult,      ///< work 1 + the length of the result, depth 1
  kOfValues,      ///< work 1 + the larger one of the lengths of argument and result, depth 1
  kOfSort,        ///< those of sorting the argument
  kByDefinition,  ///< the cost of the body for this argument
};
struct CallCost {
  Charge charge = Charge::kByDefinition;
  FixedCost fixed = {};
};

/// The rules of docs/nesl.md for work and depth, as far as they follow from the program's text.
class CostRules {
 public:
  /// Cost of calling a definition where it has this type.
  CallCost of_call(const Definition& callee, Type* function_type);
  /// Cost of an expression if it is the same for all values of its variables, and evaluating a copy of the expression
  /// is evaluating it: it contains no function that must be translated.
  std::optional<FixedCost> fixed(const Expr& expr);
  /// Whether a library function of functions is applied to an operation of scalars, so that it is itself one operation
  /// on sequences.
  bool combines_by_operation(const Call& call);

 private:
  std::optional<FixedCost> compute(const Expr& expr);
  std::optional<FixedCost> fixed_body(const Definition& definition);
  bool is_operation(const Definition& definition, Type* function_type);
  bool has_operations_only(const Expr& expr);

  std::unordered_map<const Expr*, std::optional<FixedCost>> expressions_;
  std::unordered_map<const Definition*, std::optional<FixedCost>> bodies_;
  std::map<std::pair<const Definition*, const Type*>, bool> operations_;
};

/// Whether values of the type are numbers, characters and truth values, or tuples of these.
bool is_scalar_type(Type* type);

}  // namespace nesl
