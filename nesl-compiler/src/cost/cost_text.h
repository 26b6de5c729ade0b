#pragma once

#include <string>

#include "types/definition.h"

namespace nesl {

/// Work and depth of calling a function, in words, as far as they follow from the program's text: "Work 3, depth 3.",
/// "Work 1 + n, depth 1 for ...", or a bound of the depth. Empty for globals and datatypes, and where neither has a
/// bound. The flags of definitions must be up to date (update_flags()).
std::string cost_text(const Definition& definition);

}  // namespace nesl
