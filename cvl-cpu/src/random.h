#pragma once

#include "cvl/backend.h"

namespace cvl::cpu {

struct Context;

struct RandomKernels {};

void random(Context& context, Operand bounds, RandomKey key, Result result);

}  // namespace cvl::cpu
