#pragma once

#include "vcode/letform.h"

namespace nesl_cli {

/// What the interpreter runs: a compiled program, optimized as far as `optimization` says (see Flags). Fusion is the
/// greedy one, which is faster than the solver and seldom worse.
vcode::Program executable(vcode::letform::Program program, int optimization);

}  // namespace nesl_cli
