#pragma once

#include <memory>
#include <string>

#include "llvm/native_code.h"

namespace cvl::cpu {

/// Loads an object file that LLVM made, in this process or an earlier one: relocates it by LLVM's own RuntimeDyld,
/// which is part of this library, so that a process whose kernels are all in the cache never opens LLVM. The code may
/// call the vector_functions() and those of the process. With `for_debuggers`, registers it with GDB. Throws
/// std::runtime_error for a file that is no such object.
std::unique_ptr<NativeCode> load_object(const std::string& object, bool for_debuggers);

/// Everything that an object file depends on besides its assembly: the version of the compilation, of LLVM, and the
/// architecture.
std::string compilation_version();

}  // namespace cvl::cpu
