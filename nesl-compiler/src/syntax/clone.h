#pragma once

#include "ast.h"

namespace nesl {

/// A copy of an expression before inference, all of it placed at `span`: the default of an optional argument,
/// written out at a call.
ExprPtr clone(const Expr& expression, Span span);

/// Copies of an analysed pattern and of an analysed expression, at their places. The numbers of their local variables
/// are higher by `first`.
PatternPtr clone_analysed(const Pattern& pattern, std::uint32_t first);
ExprPtr clone_analysed(const Expr& expression, std::uint32_t first);

}  // namespace nesl
