#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ast.h"
#include "token_stream.h"

namespace nesl {

/// Parses an expression, commas included. Never null; after an error, the result is an arbitrary expression.
ExprPtr parse_expression(TokenStream& stream);

/// Parameters of a definition: in parentheses behind `function name`, or one name without parentheses. Each can have a
/// type, `x : int`.
struct Parameters {
  PatternPtr pattern;                                     ///< parameters without a default, then the optional ones
  std::vector<std::pair<std::string, ExprPtr>> optional;  ///< names and defaults
};
Parameters parse_parameters(TokenStream& stream);

/// Whether a token can be the name of a variable or field: a name, t or f.
bool names_variable(TokenKind kind);

/// Whether a token can be the name of a function behind a quote, as + in '+, or in a definition of the prelude.
bool names_function(TokenKind kind);

}  // namespace nesl
