#pragma once

#include <string>

#include "types.h"
#include "unify.h"
#include "vcode/diagnostics.h"

namespace nesl {

/// "must be int, but is float", in the words that fit the types.
std::string must_be_text(Type* expected, Type* found);

/// Adds what goes beyond the two types as a whole: which parts clash, and how to repair it where that is likely.
void explain(vcode::Diagnostic& error, Type* expected, Type* found, const Mismatch& mismatch);

/// The members of a class, e.g. "a number (int or float)".
std::string members_text(TypeClass type_class);

}  // namespace nesl
