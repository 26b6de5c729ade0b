#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/function_kernels.h"

namespace cvl::cpu {

/// A loop of a kernel in one form (kernels/loop.h): computes the elements or the segments from `first` on, up to
/// `last`; of elements, `last` is the first one that is not computed. `arguments` is the loop's argument struct. True
/// if an element is at fault, or a slice is not within its table.
using LoopFunction = bool(const void* arguments, std::int64_t first, std::int64_t last);

/// A compiled function in memory.
struct NativeSymbol {
  std::string name;
  std::uintptr_t address = 0;
  std::int64_t bytes = 0;  ///< size of its machine code
};

/// Machine code in memory. Its functions may be called until it is destroyed.
class NativeCode {
 public:
  virtual ~NativeCode() = default;
  /// Size of all functions together.
  virtual std::int64_t bytes() const = 0;
  /// All functions.
  virtual std::vector<NativeSymbol> symbols() const = 0;
  /// The function of this name; there must be one.
  virtual LoopFunction* function(const std::string& name) const = 0;
};

/// Function that the library with LLVM exports as native_kernels_compile: compiles LLVM assembly to an object file;
/// empty, with a sentence in `error`, on failure. The functions in the assembly name the processor they are for. Any
/// thread may call it.
using CompileFn = std::string(const std::string& assembly, std::string& error);

/// Function that the library with LLVM's linker exports as native_kernels_load: relocates an object file; null, with a
/// sentence in `error`, for a file that is no such object. The code may call `functions`, which must live as long as
/// the process, and those of the process. With `for_debuggers`, registers it with GDB. Any thread may call it.
using LoadFn = NativeCode*(const std::string& object, bool for_debuggers, const std::vector<VectorFunction>& functions,
                           std::string& error);

}  // namespace cvl::cpu
