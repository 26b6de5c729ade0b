#pragma once

#include <cstddef>
#include <vector>

#include "fcode-opt/letform.h"

namespace vcode::letform {

/// Parts of an operation, constant or call that determine its results: equal expressions have equal results.
struct Expression {
  Binding::Form form;
  Op op;
  Suffix suffix;
  std::uint32_t target;
  std::vector<Var> operands;
  friend bool operator==(const Expression&, const Expression&) = default;
};

/// Expression of a binding. Operands that commute are put in order.
Expression expression_of(const Binding& binding);

struct ExpressionHash {
  std::size_t operator()(const Expression& e) const;
};

}  // namespace vcode::letform
