#pragma once

#include <string_view>
#include <vector>

#include "ast.h"
#include "token_stream.h"

namespace nesl {

/// What may be called t or f, and what not.
inline constexpr const char* kTruthValueHint =
    "it is a truth value; only parameters, fields and the variables of let, { } and => may be called t or f";

/// Patterns are read as expressions, because only what follows tells them apart; this turns one into the other.
/// What is no pattern is reported, and the result is some pattern.
PatternPtr to_pattern(TokenStream& stream, ExprPtr expression);

/// True of a name that can be bound: one without a quote, t and f included.
bool is_variable(const TokenStream& stream, const Expr& expression);
/// Reports t and f, which only variables within an expression or function may be called.
void refuse_truth_values(TokenStream& stream, const Pattern& pattern);

/// The expression that builds what the pattern takes apart.
ExprPtr to_expression(const Pattern& pattern);

/// Finds variables that are bound twice.
class DistinctVariables {
 public:
  explicit DistinctVariables(TokenStream& stream) : stream_(stream) {}
  void add(const Pattern& pattern);
  void add(std::string_view name, Span span);
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

}  // namespace nesl
