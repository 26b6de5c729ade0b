#pragma once

#include <string>

#include "cvl/backend.h"
#include "vcode/kernel.h"

namespace interp {

/// The size of the machine code that a backend compiles a kernel to, or the reason why there is none. Compiles it.
std::string code_size(const vcode::Kernel& kernel, const std::string& location, cvl::Backend& backend,
                      vcode::Widths widths);

}  // namespace interp
