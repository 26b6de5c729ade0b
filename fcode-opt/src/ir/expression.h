#pragma once

#include <cstddef>
#include <vector>

#include "fcode-opt/letform.h"

namespace vcode::letform {

/// What two operations, constants or calls must have in common to have the same results.
struct Expression {
  Binding::Form form;
  Op op;
  Suffix suffix;
  std::uint32_t target;
  std::vector<Var> operands;
  friend bool operator==(const Expression&, const Expression&) = default;
};

/// Operands that may change places are put in order.
Expression expression_of(const Binding& binding);

struct ExpressionHash {
  std::size_t operator()(const Expression& e) const;
};

}  // namespace vcode::letform
