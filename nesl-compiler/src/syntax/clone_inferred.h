#pragma once

#include "ast.h"

namespace nesl {

/// Copies of an analysed pattern and of an analysed expression, whose local variables have numbers that are higher by
/// `first`.
PatternPtr clone_inferred(const Pattern& pattern, std::uint32_t first);
ExprPtr clone_inferred(const Expr& expression, std::uint32_t first);

}  // namespace nesl
