#pragma once

#include <vector>

#include "vcode-interp/explain_program.h"

namespace interp {

/// Says of each operation in no kernel that updates elements of a vector (scatters to defaults, combining permutations,
/// REPLACE) whether it does so in place, or copies the vector, and which use of the old value is the reason. A vector
/// is updated in place if nothing else refers to it: neither a value on the stack of the function or of a caller, nor a
/// constant of the program. What holds in one branch of a conditional counts, unless the conditions of the branches
/// exclude it.
std::vector<PlacedText> explain_updates(const vcode::Program& program);

}  // namespace interp
