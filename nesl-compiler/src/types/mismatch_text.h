#pragma once

#include <string>

#include "base/diagnostics.h"
#include "nesl_types.h"
#include "syntax/ast.h"
#include "unify.h"

namespace nesl {

/// "must be int, but is float", in the words that fit the types.
std::string mismatch_text(Type* expected, Type* found, const Mismatch& mismatch);

/// Adds notes to the error: which parts of the two types clash, and a likely repair. `expression` has the type `found`
/// and may be null.
void explain(base::Diagnostic& error, Type* expected, Type* found, const Mismatch& mismatch, const Expr* expression);

/// The members of a class, e.g. "a number (int or float)".
std::string members_text(TypeClass type_class);

}  // namespace nesl
