#pragma once

#include <vector>

#include "fcode-opt/letform.h"

namespace vcode::letform {

/// Moves each SLICE whose result is one of `harmless`, so that it cannot fail, behind checks that do not need it, up to
/// its first use, so that it can be in one kernel with that.
///   before:  x = SLICE a i s   IF c then yield else EXIT yield   y = * FLOAT x x
///   after:   IF c then yield else EXIT yield   x = SLICE a i s   y = * FLOAT x x
/// O(n) for n bindings, times those that wait.
void delay_slices(Function& function, const std::vector<Var>& harmless);

}  // namespace vcode::letform
