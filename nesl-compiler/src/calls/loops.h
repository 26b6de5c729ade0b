#pragma once

#include "expression_walker.h"
#include "merged_functions.h"
#include "primitives/whole_values.h"

namespace nesl {

/// Loops: functions inside an apply-to-each that end by calling themselves.
class Loops {
 public:
  Loops(FlattenContext& context, Levels& levels, WholeValues& values, MergedFunctions& merged, ExpressionWalker& walker)
      : context_(context), levels_(levels), values_(values), merged_(merged), walker_(walker) {}

  /// Advances the arguments of a loop's next call by some steps. Returns the arguments unchanged, and emits nothing, if
  /// the function is no loop or its steps cannot be computed by masks.
  ValuePtr take_steps(const Definition& definition, ValuePtr arguments);
  /// As WholeValues::select(), for arguments: equal parts stay at their nesting level, and only scalars may differ.
  ValuePtr step(Var flags, const ValuePtr& a, const ValuePtr& b);

 private:
  Emitter& emit() { return levels_.emit(); }
  bool is_loop(const Definition& definition);
  bool is_step(const Expr& expr, const Definition& definition) const;
  ValuePtr next_arguments(const Expr& expr, const Definition& definition, const ValuePtr& arguments);

  FlattenContext& context_;
  Levels& levels_;
  WholeValues& values_;
  MergedFunctions& merged_;
  ExpressionWalker& walker_;
};

}  // namespace nesl
