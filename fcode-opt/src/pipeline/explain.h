#pragma once

#include <string>

#include "fcode-opt/letform.h"
#include "fcode-opt/stack_code.h"

namespace fcode_opt {

std::size_t count_bindings(const vcode::letform::Program& program);

/// Lists the functions that stay stack code, each with the reason and the location in the text that it is about.
std::string explain_conversion(const vcode::Program& program, const base::Source& source,
                               const vcode::letform::Converted& converted);
/// Reports the numbers of functions and instructions before and after optimization.
std::string explain_sizes(const vcode::Program& before, const vcode::Program& after);

}  // namespace fcode_opt
