#pragma once

#include <string_view>
#include <vector>

#include "ast.h"
#include "token_stream.h"

namespace nesl {

/// Patterns are read as expressions, because only what follows tells them apart; this turns one into the other.
/// What is no pattern is reported, and the result is some pattern.
PatternPtr to_pattern(TokenStream& stream, ExprPtr expression);

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
