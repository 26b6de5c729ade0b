#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ast.h"
#include "token_stream.h"

namespace nesl {

/// An expression, commas included. Never null; after an error the result is some expression.
ExprPtr parse_expression(TokenStream& stream);

/// The parameters of a definition: in parentheses behind `function name`, or one name without. Each can have a type,
/// `x : int`.
struct Parameters {
  PatternPtr pattern;                                     ///< of those without a default, then of the optional ones
  std::vector<std::pair<std::string, ExprPtr>> optional;  ///< names and defaults
};
Parameters parse_parameters(TokenStream& stream);

/// Whether a token can be the name of a variable or field: a name, t or f.
bool names_variable(TokenKind kind);

/// Whether a token can be the name of a function: behind a quote, as + of '+, or where the prelude defines operators.
bool names_function(TokenKind kind);

}  // namespace nesl
