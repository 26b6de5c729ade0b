#pragma once

#include <string>

#include "base/diagnostics.h"
#include "nesl_types.h"
#include "syntax/ast.h"
#include "unify.h"

namespace nesl {

/// Words for a mismatch, "must be int, but is float", as fit the types.
std::string mismatch_text(Type* expected, Type* found, const Mismatch& mismatch);

/// Adds notes to the error: the parts of the two types that clash, and a likely repair. `expression` has the type
/// `found` and may be null.
void explain(base::Diagnostic& error, Type* expected, Type* found, const Mismatch& mismatch, const Expr* expression);

/// Words for the members of a class, such as "a number (int or float)".
std::string members_text(TypeClass type_class);

}  // namespace nesl
