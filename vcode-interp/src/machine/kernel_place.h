#pragma once

#include <string>

#include "vcode/program.h"

namespace interp {

/// Where a kernel is in the source program, by the last of its steps whose place is known, as in
/// "smxv:smxv.nesl:1:34": function, file, line and column. Empty if no step has a place.
std::string kernel_place(const vcode::Program& program, const vcode::Kernel& kernel);

}  // namespace interp
