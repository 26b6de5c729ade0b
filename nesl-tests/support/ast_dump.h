#pragma once

#include <string>

#include "syntax/ast.h"

namespace nesl {

/// A statement as a fully parenthesized symbolic expression, to compare trees in tests: equal trees, whatever their
/// spans, have equal dumps.
std::string dump(const Statement& statement);
std::string dump(const Expr& expression);

/// The statement as NESL source. Not for primitives and commands.
std::string source_text(const Statement& statement);

/// The first expression or pattern whose span does not lie within that of its parent, or within `text`; empty if there
/// is none.
std::string misplaced_part(const Statement& statement, std::string_view text);

}  // namespace nesl
