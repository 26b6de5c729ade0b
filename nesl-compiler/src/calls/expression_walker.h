#pragma once

#include "levels/flat_value.h"

namespace nesl {

/// Values of subexpressions, for the classes that compile calls, loops and conditionals. The Flattener implements it.
class ExpressionWalker {
 public:
  /// Value of an expression, without slices.
  virtual ValuePtr lower(const Expr& expr) = 0;
  /// Value of an expression; a sequence that is an element of another one may be a slice of it. For callers that index
  /// the value, take its length, or pass it to such code.
  virtual ValuePtr lower_lazily(const Expr& expr) = 0;
  /// Binds the variables of a pattern. Copies a slice, unless its variable is only indexed in `scope`, the expression
  /// in which it is visible.
  virtual void bind(const Pattern& pattern, const ValuePtr& value, const Expr* scope = nullptr) = 0;
  virtual ValuePtr global_value(const Definition& global, const std::vector<Type*>& instantiation = {}) = 0;

 protected:
  ~ExpressionWalker() = default;
};

}  // namespace nesl
