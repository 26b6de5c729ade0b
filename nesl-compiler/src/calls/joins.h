#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "calls.h"
#include "facts/call_order.h"
#include "lifted_if.h"

namespace nesl {

/// Joined calls: one call in place of calls of the same function in several branches of a conditional.
class Joins {
 public:
  Joins(FlattenContext& context, Levels& levels, WholeValues& values, MergedFunctions& merged, Calls& calls,
        ExpressionWalker& walker)
      : context_(context), levels_(levels), values_(values), merged_(merged), calls_(calls), walker_(walker) {}

  /// Makes the calls that branches of a conditional have in common. Returns the value of the conditional if its
  /// branches end in these calls. Otherwise returns null: the rest must be compiled as usual, with the values in
  /// Frame::ready.
  ValuePtr join_calls(const Expr& expr, const If& node, const ValuePtr& condition);

 private:
  /// A joined call to be made next: its argument, and the instances of the nesting level that make the call.
  struct Due {
    /// Argument in parts; undefined, like a null part, for instances that make no call. Empty: no call.
    std::vector<ValuePtr> parts = {};
    ValuePtr needed = {};    ///< scalar BOOL: whether an instance makes the call; null: all do
    Position position = {};  ///< location of the first call in the text
  };
  /// A branch up to its next call: the call, and the values in Frame::ready that the branch has computed.
  struct Branch {
    bool computed = false;
    Due due = {};
    std::vector<ValuePtr*> values = {};
  };
  /// Merges a part of the arguments of two branches; either can be null.
  using JoinParts = std::function<ValuePtr(const ValuePtr&, const ValuePtr&)>;
  std::string unit_of_call(const Expr& expr, const std::set<std::uint32_t>& inner);
  ValuePtr call_due(const std::vector<const Expr*>& calls, const Due& due);
  /// Evaluates the expressions before the next joined calls, in the order of evaluation.
  Due prepare(const Expr& expr, const CallOrder& order);
  Due prepare_call(const Call& call, const CallOrder& order);
  Due prepare_branches(const Expr& expr, const If& node, const CallOrder& order);
  Branch compute_branch(const Expr& expr, LiftedIf& choice, bool is_then, const CallOrder& order);
  std::optional<Due> joined(LiftedIf& choice, Branch& a, Branch& b);
  void run_packed(Branch& branch, LiftedIf& choice, bool is_then);
  /// Evaluates an expression early if it must not be evaluated after the expressions that follow it.
  void settle(const Expr& expr);
  ValuePtr bound_value(const Pattern& pattern);
  /// The argument with copies in place of slices, except those that the function only indexes.
  ValuePtr with_slices(const ValuePtr& argument, const Definition& definition, const Pattern* parameter);
  /// Merges the calls of both branches of a conditional at the current nesting level.
  Due either(Var flags, const Due& a, const Due& b, const JoinParts& join);
  /// Merges a part of two arguments; a part that both branches share stays at its nesting level.
  ValuePtr merge_parts(Var flags, const ValuePtr& a, const ValuePtr& b);
  /// Expands the value of the instances with a true flag to all instances, with zeros or empty sequences for the
  /// others.
  ValuePtr fill(Var flags, const ValuePtr& value);
  ValuePtr absent_like(const ValuePtr& value);
  Emitter& emit() { return levels_.emit(); }

  FlattenContext& context_;
  Levels& levels_;
  WholeValues& values_;
  MergedFunctions& merged_;
  Calls& calls_;
  ExpressionWalker& walker_;
};

}  // namespace nesl
