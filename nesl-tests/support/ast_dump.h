#pragma once

#include <string>

#include "syntax/ast.h"

namespace nesl {

/// A statement as a symbolic expression in which everything has its own parentheses, to compare trees in tests: equal
/// trees, whatever the spans, have equal dumps.
std::string dump(const Statement& statement);
std::string dump(const Expr& expression);

/// The statement as NESL source. Not of primitives and commands.
std::string source_text(const Statement& statement);

/// The first expression or pattern that does not lie within the one it is a part of, and within `text` bytes; empty
/// if there is none.
std::string misplaced_part(const Statement& statement, std::string_view text);

}  // namespace nesl
