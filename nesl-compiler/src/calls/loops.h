#pragma once

#include <string>

#include "expression_walker.h"
#include "merged_functions.h"

namespace nesl {

/// Loops: functions inside an apply-to-each that end by calling themselves.
class Loops {
 public:
  Loops(FlattenContext& context, Levels& levels, MergedFunctions& merged, ExpressionWalker& walker)
      : context_(context), levels_(levels), merged_(merged), walker_(walker) {}

  /// Advances the arguments of a loop's next call by some steps, if the function is a loop and its steps may be
  /// straight-line code; the optimizer decides how many.
  ValuePtr take_steps(const Definition& definition, ValuePtr arguments);

 private:
  Emitter& emit() { return levels_.emit(); }
  bool is_loop(const Definition& definition);
  bool is_step(const Expr& expr, const Definition& definition) const;
  std::string obstacle(const Expr& expr, const Definition& definition);
  std::string obstacle_to(const Expr& value);
  std::string take_steps_of(const Definition& definition, ValuePtr& arguments);
  ValuePtr next_arguments(const Expr& expr, const Definition& definition, const ValuePtr& arguments);

  FlattenContext& context_;
  Levels& levels_;
  MergedFunctions& merged_;
  ExpressionWalker& walker_;
};

}  // namespace nesl
