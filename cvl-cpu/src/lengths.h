#pragma once

#include "cvl/backend.h"

namespace cvl::cpu {

struct Context;

LengthsSummary summarize_lengths(Context& context, Operand lengths);
void make_offsets(Context& context, Operand lengths, Result result);

}  // namespace cvl::cpu
