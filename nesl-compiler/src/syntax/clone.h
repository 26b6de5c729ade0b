#pragma once

#include <cstdint>
#include <unordered_map>

#include "ast.h"

namespace nesl {

/// Copies an expression before inference. All spans in the copy are `span`: used for the default of an optional
/// argument, inserted at a call.
ExprPtr clone(const Expr& expression, Span span);

/// Copy a pattern or expression before inference, with its spans.
PatternPtr clone_pattern(const Pattern& pattern);
ExprPtr clone_expression(const Expr& expression);

/// Copy an analysed pattern or expression with its spans. The numbers of local variables are increased by `first`.
PatternPtr clone_analysed(const Pattern& pattern, std::uint32_t first);
ExprPtr clone_analysed(const Expr& expression, std::uint32_t first);

/// New numbers of some local variables.
using Renaming = std::unordered_map<std::uint32_t, std::uint32_t>;
/// Copy an analysed pattern or expression with its spans, and with other numbers for some local variables.
PatternPtr clone_renamed(const Pattern& pattern, const Renaming& renamed);
ExprPtr clone_renamed(const Expr& expression, const Renaming& renamed);

}  // namespace nesl
