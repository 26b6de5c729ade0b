#pragma once

#include <string_view>
#include <vector>

#include "ast.h"
#include "vcode/diagnostics.h"

namespace nesl {

struct ParseOptions {
  /// The text is part of the prelude: `primitive` and `specialize` are statements, and operators may be defined.
  bool prelude = false;
  /// The text was typed at a prompt: what follows a terminator on its line is thrown away.
  bool interactive = false;
};

/// The statements of a NESL text, without those that have errors. Every error has a code: "syntax", "reserved" (a
/// reserved word in the place of a name) or "pattern" (something bound that is no pattern).
///
/// Recursive: a level of nesting takes up to kStackPerLevel bytes of stack, and so does destroying the result. At
/// most a million levels are accepted.
std::vector<Statement> parse(const vcode::Source& source, const ParseOptions& options, vcode::Diagnostics& diagnostics);

/// Whether an expression that begins with this name may be taken for a statement of another kind: a command, or a
/// definition of the prelude. In parentheses it is an expression.
bool may_begin_other_statement(std::string_view name);

}  // namespace nesl
