#pragma once

#include <optional>
#include <vector>

#include "ast.h"
#include "base/diagnostics.h"

namespace nesl {

struct ParseOptions {
  /// The text is part of the prelude: `primitive` and `specialize` are statements, and operators may be defined.
  bool prelude = false;
};

/// The statements of a NESL text, without those that have errors. Every error has a code: "syntax", "reserved" (a
/// reserved word in the place of a name) or "pattern" (something bound that is no pattern).
///
/// Recursive, as is destroying the result: run_with_deep_stack() has the stack for all the levels of nesting that are
/// accepted (kDeepest).
std::vector<Statement> parse(const base::Source& source, const ParseOptions& options, base::Diagnostics& diagnostics);

/// Reads `name(type, …)`, a function applied to parameters of which only the types are known, or `name` alone. The
/// parameters are the variables of ValueStatement::parameter, and the value is `name` applied to them; they have names
/// that no program can write, so that they hide nothing. Nothing if there is an error.
std::optional<ValueStatement> parse_application(const base::Source& source, base::Diagnostics& diagnostics);

/// Reads a text that is one type. Null if there is an error.
TypeExprPtr parse_whole_type(const base::Source& source, base::Diagnostics& diagnostics);

}  // namespace nesl
