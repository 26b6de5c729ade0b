#pragma once

#include "fcode-opt/letform.h"

namespace vcode::letform {

/// Makes the kernel of a FUSED binding, without number, name and sites.
Kernel make_kernel(const Function& function, const Binding& binding);

}  // namespace vcode::letform
