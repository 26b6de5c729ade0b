#pragma once

#include <string>

#include "cvl/backend.h"
#include "vcode/program.h"

namespace interp {

/// Kernels of a program that have machine code.
struct CompiledKernels {
  int compiled = 0;        ///< now
  int found = 0;           ///< in the folder of compiled kernels
  std::int64_t bytes = 0;  ///< of their machine code
};

/// Compiles all kernels of a program into the folder of compiled kernels, as far as it lacks them. The backend must
/// have been created with BackendOptions::native "always". Throws std::runtime_error if that fails.
CompiledKernels compile_kernels(const vcode::Program& program, cvl::Backend& backend, vcode::Widths widths);

/// One line for each kernel of a program, indented by two blanks: the size of the machine code that this backend
/// compiles the kernel to, or the reason why the kernel is not compiled. Compiles the kernels. Empty if there are no
/// kernels.
std::string describe_machine_code(const vcode::Program& program, cvl::Backend& backend, vcode::Widths widths);

}  // namespace interp
