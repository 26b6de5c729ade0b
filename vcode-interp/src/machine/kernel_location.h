#pragma once

#include <string>

#include "vcode/program.h"

namespace interp {

/// Source location of the last step that has one: function, file, line and column, as in "smxv:smxv.nesl:1:34". Empty
/// if no step has a location.
std::string kernel_location(const vcode::Program& program, const vcode::Kernel& kernel);

}  // namespace interp
