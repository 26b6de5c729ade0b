#pragma once

#include <string>

#include "ast.h"

namespace nesl {

/// NESL source with as few parentheses as possible, on one line: what it parses
/// to is the same tree.
std::string to_text(const Expr& expression);
std::string to_text(const Pattern& pattern);
std::string to_text(const TypeExpr& type);
/// With its context; of a declaration without a type, the context alone.
std::string to_text(const TypeDecl& declared);

}  // namespace nesl
