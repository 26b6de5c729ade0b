#pragma once

#include "fcode-opt/pass.h"

namespace fcode_opt {

/// Pass "fuse": operations that go over one index space become kernels.
///   p = * FLOAT x y   s = +_REDUCE FLOAT p d      becomes
///   s = FUSED over d of x y d { p = * FLOAT x y   s = +_REDUCE FLOAT p d }
/// Region by region (see region.h); how the kernels are chosen is the option --fusion.
void fuse(vcode::letform::Program& program, PassContext& context);

}  // namespace fcode_opt
