#pragma once

#include "fcode-opt/pass.h"

namespace fcode_opt {

/// Pass "fuse": fuses operations over one index space into kernels.
///   p = * FLOAT x y   s = +_REDUCE FLOAT p d      becomes
///   s = FUSED over d of x y d { p = * FLOAT x y   s = +_REDUCE FLOAT p d }
/// Fuses each basic block on its own (see basic_block.h). The option --fusion selects the algorithm that chooses
/// kernels.
void fuse(vcode::letform::Program& program, PassContext& context);

}  // namespace fcode_opt
