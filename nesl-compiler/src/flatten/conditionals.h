#pragma once

#include "calls/joins.h"

namespace nesl {

/// Whether an expression is a literal, a name or a function.
bool is_atom(const Expr& expr);

/// Conditionals: as branches, for each instance, or with joined calls.
class Conditionals {
 public:
  Conditionals(FlattenContext& context, Levels& levels, WholeValues& values, Joins& joins, ExpressionWalker& walker)
      : context_(context), levels_(levels), values_(values), joins_(joins), walker_(walker) {}

  ValuePtr lower_if(const Expr& expr, const If& node);

 private:
  Emitter& emit() { return levels_.emit(); }
  /// Compiles IF whose condition varies with the instances of the current nesting level.
  ValuePtr lower_lifted_if(const Expr& expr, const If& node, const ValuePtr& condition);
  /// Cost in syntax nodes of evaluating a branch for all instances; more than kSelectSize if that is not allowed.
  int select_cost(const Expr& expr);
  /// Whether the value of an expression is known at its conditional without an operation.
  bool is_simple(const Expr& expr);

  FlattenContext& context_;
  Levels& levels_;
  WholeValues& values_;
  Joins& joins_;
  ExpressionWalker& walker_;
};

}  // namespace nesl
