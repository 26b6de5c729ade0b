#pragma once

#include <string>

#include "syntax/ast.h"

namespace nesl {

// Trees as NESL source with as few parentheses as possible, on one line, to be parsed again: the same tree must result.

std::string to_text(const Expr& expression);
std::string to_text(const Pattern& pattern);
std::string to_text(const TypeExpr& type);
/// With its context; of a declaration without a type, the context alone.
std::string to_text(const TypeDecl& declared);

}  // namespace nesl
