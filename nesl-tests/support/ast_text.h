#pragma once

#include <string>

#include "syntax/ast.h"

namespace nesl {

// Trees as NESL source on one line, with as few parentheses as possible. Parsing the text must give the same tree.

std::string to_text(const Expr& expression);
std::string to_text(const Pattern& pattern);
std::string to_text(const TypeExpr& type);
/// The declaration with its context; without a type, the context alone.
std::string to_text(const TypeDecl& declared);

}  // namespace nesl
