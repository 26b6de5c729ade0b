#pragma once

#include "flat_value.h"

namespace nesl {

/// Notes how a call of a function may be run in pieces, if it may: if it was compiled for `own` levels around it, at
/// least one, and each part of the result has one instance or more for each instance of the outermost of them, which
/// are the index space. Its parameters are the links of the levels, the descriptor of all innermost instances if there
/// are several levels, the leaves of the argument, and what is shared by all instances.
void note_cuts(const FlatValue& argument, int own, const FlatValue& result, letform::Function& function);

}  // namespace nesl
