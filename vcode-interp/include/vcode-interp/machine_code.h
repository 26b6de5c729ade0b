#pragma once

#include <string>

#include "cvl/backend.h"
#include "vcode/program.h"

namespace interp {

/// One line for each kernel of a program, indented by two blanks: the size of the machine code that this backend
/// compiles the kernel to, or the reason why the kernel is not compiled. Compiles the kernels. Empty if there are no
/// kernels.
std::string describe_machine_code(const vcode::Program& program, cvl::Backend& backend, vcode::Widths widths);

}  // namespace interp
