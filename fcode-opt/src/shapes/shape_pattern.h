#pragma once

#include "fcode-opt/shapes.h"

namespace vcode::letform {

/// Brings a pattern into its canonical form: numbers groups in order of appearance and removes groups of one entry.
void number_groups(ShapePattern& pattern);

/// Equalities and numbers that hold in both patterns.
ShapePattern meet(const ShapePattern& a, const ShapePattern& b);

/// Restricts a pattern of a function's operands to the facts that also hold in pieces of a call.
ShapePattern of_pieces(const ShapePattern& operands, const Function& function);

}  // namespace vcode::letform
