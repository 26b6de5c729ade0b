#pragma once

#include "cvl/backend.h"

namespace cvl::cpu {

struct Context;

struct ScatterKernels {};

void scatter(Context& context, const Scatter& scatter, Result result);

}  // namespace cvl::cpu
