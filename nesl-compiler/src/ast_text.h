#pragma once

#include <string>

#include "ast.h"

namespace nesl {

/// NESL source with as few parentheses as possible, on one line (but for line breaks within strings): what it parses
/// to is the same tree.
std::string to_text(const Expr& expression);
std::string to_text(const Pattern& pattern);
std::string to_text(const TypeExpr& type);
std::string to_text(const TypeDecl& declared);

}  // namespace nesl
