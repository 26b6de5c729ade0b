#pragma once

#include <vector>

#include "ast.h"
#include "vcode/diagnostics.h"

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
std::vector<Statement> parse(const vcode::Source& source, const ParseOptions& options, vcode::Diagnostics& diagnostics);

}  // namespace nesl
