#pragma once

#include "flat_value.h"
#include "vcode/pieces.h"

namespace nesl {

/// How the operands of a function are cut that was compiled for `own` levels around it, at least one: the links of its
/// levels, the descriptor of all innermost instances if there are several, and the leaves of the argument. The index
/// space are the instances of the outermost level.
vcode::Cuts piece_cuts(const FlatValue& argument, int own);

/// Whether each part of a value has one instance or more for each instance of the outermost level.
bool varies(const FlatValue& value);

}  // namespace nesl
