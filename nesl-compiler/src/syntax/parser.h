#pragma once

#include <optional>
#include <vector>

#include "ast.h"
#include "base/diagnostics.h"

namespace nesl {

struct ParseOptions {
  /// The text is part of the prelude: `primitive` and `specialize` begin statements, and operators may be defined.
  bool prelude = false;
};

/// Parses the statements of a NESL text and drops those with errors. Codes of errors: "syntax", "reserved" (a reserved
/// word where a name is required) and "pattern" (an expression that is no pattern is bound).
///
/// Recursive, as is the destruction of the result: run_with_deep_stack() provides enough stack for all accepted nesting
/// levels (kDeepest).
std::vector<Statement> parse(const base::Source& source, const ParseOptions& options, base::Diagnostics& diagnostics);

/// Parses the test statement that a text begins with; anything may follow. Returns nothing if another text begins
/// there, or after an error.
std::optional<Statement> parse_test(const base::Source& source, base::Diagnostics& diagnostics);

/// Parses `name(type, …)`, a function applied to parameters of which only the types are known, or `name` alone. The
/// parameters are the variables of ValueStatement::parameter, and the value is `name` applied to them. Their names
/// cannot occur in a program, so that they hide no other variable. Returns nothing after an error.
std::optional<ValueStatement> parse_application(const base::Source& source, base::Diagnostics& diagnostics);

/// Parses a text that is one type. Returns null after an error.
TypeExprPtr parse_whole_type(const base::Source& source, base::Diagnostics& diagnostics);

}  // namespace nesl
