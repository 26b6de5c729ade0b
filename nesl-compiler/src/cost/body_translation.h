#pragma once

#include <optional>
#include <vector>

#include "cost_translation.h"
#include "syntax/clone.h"

namespace nesl {

/// Translates the expressions of one definition or statement, as CostTranslation says.
class BodyTranslation {
 public:
  /// `locals`: number of local variables of the original.
  BodyTranslation(CostTranslation& all, std::uint32_t locals)
      : all_(all), trees_(all.trees()), rules_(all.rules()), locals_(locals) {}

  /// Cost when the evaluation of an expression begins: local variables, or zero.
  struct Start {
    std::optional<std::uint32_t> work = {}, slack = {};
  };
  /// A pattern for a cost, and the variables in it.
  PatternPtr start_pattern(Start& start, Span span);
  /// An expression for the pair of the value and its cost.
  ExprPtr with_cost(const Expr& expr, const Start& start);
  ExprPtr with_cost(const Expr& expr) { return with_cost(expr, Start()); }
  /// An expression for the value alone.
  ExprPtr without_cost(const Expr& expr);

  PatternPtr copy(const Pattern& pattern) const { return clone_renamed(pattern, renamed_); }
  std::uint32_t new_local() { return locals_++; }
  std::uint32_t locals() const { return locals_; }

 private:
  /// Evaluations that come before an expression, and the cost of these and of the expression so far.
  struct Block {
    Bindings bindings = {};
    FixedCost fixed = {};
    std::vector<ExprPtr> work = {}, slack = {};
  };

  ExprPtr with_cost_in(const Expr& expr, const Start& start, Block& block);
  /// The value, which is evaluated after the bindings of the block. Its cost is added to the block.
  ExprPtr value(const Expr& expr, Block& block);
  ExprPtr value_of_name(const Expr& expr, const Name& name) const;
  ExprPtr value_of_lambda(const Expr& expr, const Lambda& lambda);
  ExprPtr value_of_if(const Expr& expr, const If& choice, Block& block);
  ExprPtr value_of_call(const Expr& expr, const Call& call, Block& block);
  ExprPtr value_of_each(const Each& each, Block& block);
  ExprPtr each_of_fixed_body(const Each& each, Bindings bindings, Block& block);
  ExprPtr each_with_two_costs(const Each& each, Bindings bindings, Block& block);
  ExprPtr value_of_time(const Expr& expr, const Time& time, Block& block);
  void bind_let(const Let& let, Block& block);

  /// A call of a translated function, whose value is a pair of the result and the cost. Without a start, the cost is
  /// that of the function alone; otherwise it includes that of the block so far.
  ExprPtr translated_call(const Expr& expr, const Call& call, const Start* start, Block& block);
  /// The cost of a call that is not translated; kByDefinition for other calls.
  CallCost cost_of(const Call& call);
  ExprPtr operation(const Expr& expr, const Call& call, const CallCost& cost, Block& block);

  /// Binds a pair of a value and its cost, adds the cost to the block, and returns the value.
  ExprPtr take(ExprPtr value_and_cost, Type* type, Block& block);
  /// Adds a cost to the block.
  void add(ExprPtr cost, Block& block);
  /// Adds a fixed cost for each element of a sequence; its depth once if there are elements, or for each if `serial`.
  void add_for_each(const FixedCost& cost, bool serial, const Expr& sequence, Block& block);
  /// Cost at the start and of the block, as an expression and as variables.
  ExprPtr total(const Start& start, Block& block, Span span);
  Start settle(const Start& start, Block& block, Span span);
  /// The length of the sequences in a value made by atoms(); null if its type has none.
  ExprPtr length(const Expr& value) const;
  /// The value with variables for its sequences, so that these can be used twice.
  ExprPtr atoms(ExprPtr expr, Block& block);
  ExprPtr bind_value(ExprPtr expr, Block& block);
  /// The values of a sequence of pairs of values and costs.
  ExprPtr values_of(const Expr& results, Span span);
  ExprPtr copy(const Expr& expr) const { return clone_renamed(expr, renamed_); }

  CostTranslation& all_;
  const TypedTrees& trees_;
  CostRules& rules_;
  std::uint32_t locals_;
  Renaming renamed_;  ///< variables with another number in the copy being made
};

}  // namespace nesl
