#pragma once

#include <string_view>
#include <vector>

#include "ast.h"
#include "token_stream.h"

namespace nesl {

/// Note for t or f where neither can be defined.
inline constexpr const char* kTruthValueHint =
    "it is a truth value; functions, variables, parameters and fields may be called t or f, but no datatype";

/// Converts an expression to the pattern with the same spelling. Patterns are parsed as expressions, because only a
/// later token (= in =>) distinguishes the two. Reports an expression that is no pattern; the result is then an
/// arbitrary pattern.
PatternPtr to_pattern(TokenStream& stream, ExprPtr expression);

/// True for an expression that is a variable to bind: a name without a quote, or t or f.
bool is_variable(const TokenStream& stream, const Expr& expression);
/// Reports variables named t or f, which the library cannot define.
void refuse_truth_values(TokenStream& stream, const Pattern& pattern);

/// The expression with the spelling of a pattern, which builds the value that the pattern takes apart.
ExprPtr to_expression(const Pattern& pattern);

/// Pattern of a tuple: pairs that nest to the right. At least one part.
PatternPtr pair_patterns(std::vector<PatternPtr> parts);

/// Finds variables that the patterns of one construct bind twice.
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
