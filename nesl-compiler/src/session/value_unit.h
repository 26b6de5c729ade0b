#pragma once

#include <memory>
#include <string>

#include "base/diagnostics.h"
#include "nesl-compiler/session.h"
#include "types/definition.h"

namespace nesl {

/// Spells a pattern as NESL source, a pair without its parentheses if it is `enclosed` in another one.
std::string pattern_text(const Pattern& pattern, bool enclosed);

/// Sets the fields of a unit for an analysed value statement, except for its parameters.
void make_value(Unit& unit, std::shared_ptr<GlobalStatement> statement);
/// Sets Unit::parameters. False, with the error `refusal`, if a parameter holds a function.
bool add_parameters(Unit& unit, const char* refusal, base::Diagnostics& diagnostics);

}  // namespace nesl
