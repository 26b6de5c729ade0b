#pragma once

#include <string>

#include "fcode-opt/letform.h"
#include "fcode-opt/stack_code.h"

namespace fcode_opt {

std::size_t count_bindings(const vcode::letform::Program& program);

/// Which functions stay stack code, where in the text the reason is, and what it is.
std::string explain_conversion(const vcode::Program& program, const base::Source& source,
                               const vcode::letform::Converted& converted);
/// How many functions and instructions there were and are.
std::string explain_sizes(const vcode::Program& before, const vcode::Program& after);

}  // namespace fcode_opt
