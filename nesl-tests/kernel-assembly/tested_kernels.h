#pragma once

#include <vector>

#include "random_kernel.h"

namespace cvl::conformance {

/// Some kernels of each form that the conformance suite runs, chosen by NESL_TEST_SEED.
std::vector<KernelCase> tested_kernels(vcode::Widths widths);

}  // namespace cvl::conformance
