#pragma once

#include "ast.h"

namespace nesl {

/// A copy of an expression before inference, all of it placed at `span`: the default of an optional argument,
/// written out at a call.
ExprPtr clone(const Expr& expression, Span span);

}  // namespace nesl
