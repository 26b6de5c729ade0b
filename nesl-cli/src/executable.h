#pragma once

#include <string>

#include "fcode-opt/letform.h"

namespace nesl_cli {

/// What the interpreter runs: a compiled program, optimized as far as `optimization` says (see Flags). Fusion is the
/// greedy one, which is faster than the solver and seldom worse.
vcode::Program executable(vcode::letform::Program program, int optimization);

/// What fusion does to a compiled program, in lines, below the let-form that they speak of: empty if it has no
/// operations on vectors.
std::string explain_fusion(vcode::letform::Program program);

}  // namespace nesl_cli
