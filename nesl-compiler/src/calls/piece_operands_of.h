#pragma once

#include "levels/flat_value.h"

namespace nesl {

/// Records how a call of a function may run in pieces, if it may. Pieces require that the function was compiled for at
/// least one own nesting level (`own`), and that each part of the result has one instance or more for each instance of
/// the outermost of these, which is the index space. Parameters of the function are the links of the levels, the
/// descriptor of all innermost instances if there are several levels, the leaves of the argument, and values shared by
/// all instances.
void note_piece_operands(const FlatValue& argument, int own, const FlatValue& result, letform::Function& function);

}  // namespace nesl
