#pragma once

#include <string_view>
#include <vector>

#include "ast.h"
#include "token_stream.h"

namespace nesl {

/// A note on t or f where neither can be defined.
inline constexpr const char* kTruthValueHint =
    "it is a truth value; only parameters, fields and the variables of let, { } and => may be called t or f";

/// The pattern that an expression spells. Patterns are parsed as expressions, because only the tokens behind them (= in
/// =>) tell the two apart. An expression that spells none is reported, and the result is some pattern.
PatternPtr to_pattern(TokenStream& stream, ExprPtr expression);

/// True of a name that can be bound: one without a quote, or t or f.
bool is_variable(const TokenStream& stream, const Expr& expression);
/// Reports variables named t or f, which only a definition within an expression or function can have.
void refuse_truth_values(TokenStream& stream, const Pattern& pattern);

/// The expression that a pattern looks like: it builds the value that the pattern takes apart.
ExprPtr to_expression(const Pattern& pattern);

/// Finds variables that are bound twice by the patterns of one construct.
class DistinctVariables {
 public:
  explicit DistinctVariables(TokenStream& stream) : stream_(stream) {}
  void add(const Pattern& pattern);
  /// Reports the first variable that was added twice.
  void check();

 private:
  struct Variable {
    std::string_view name;
    Span span;
  };
  TokenStream& stream_;
  std::vector<Variable> variables_;
};
/// Reports the first variable that a pattern binds twice.
void check_distinct(TokenStream& stream, const Pattern& pattern);

}  // namespace nesl
