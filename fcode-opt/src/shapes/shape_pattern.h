#pragma once

#include "fcode-opt/shapes.h"

namespace vcode::letform {

/// Numbers the groups in the order in which they appear; what shares nothing is no group. So equal patterns look equal.
void number_groups(ShapePattern& pattern);

/// What both patterns say.
ShapePattern meet(const ShapePattern& a, const ShapePattern& b);

}  // namespace vcode::letform
