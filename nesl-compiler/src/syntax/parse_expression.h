#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ast.h"
#include "token_stream.h"

namespace nesl {

/// An expression, commas included. Never null; after an error the result means nothing.
ExprPtr parse_expression(TokenStream& stream);

/// What stands between the parentheses behind `function name`, or the name that stands there instead. Each parameter
/// can have a type, `x : int`.
struct Parameters {
  PatternPtr pattern;  ///< those without a default and then the others
  std::vector<std::pair<std::string, ExprPtr>> optional;
};
Parameters parse_parameters(TokenStream& stream);

/// What can be the name of a variable or field: also t and f.
bool names_variable(TokenKind kind);

/// The name behind a quote, e.g. + of '+, or of an operator in a place that takes operators unquoted.
bool names_function(TokenKind kind);

}  // namespace nesl
