#pragma once

#include <string>

#include "cvl/backend.h"
#include "vcode/program.h"

namespace interp {

/// A line for each kernel of a program, behind two blanks: how large the machine code is that this backend compiles it
/// to, which is done for that, or what it is not compiled for. Empty if there are no kernels.
std::string describe_machine_code(const vcode::Program& program, cvl::Backend& backend, vcode::Widths widths);

}  // namespace interp
