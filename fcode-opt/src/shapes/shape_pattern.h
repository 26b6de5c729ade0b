#pragma once

#include "fcode-opt/shapes.h"

namespace vcode::letform {

/// Brings a pattern into its canonical form: groups are numbered in order of appearance, and groups of one entry are
/// removed.
void number_groups(ShapePattern& pattern);

/// The equalities and numbers that hold in both patterns.
ShapePattern meet(const ShapePattern& a, const ShapePattern& b);

/// What of a pattern of a function's operands holds in pieces of a call, too.
ShapePattern of_pieces(const ShapePattern& operands, const Function& function);

}  // namespace vcode::letform
