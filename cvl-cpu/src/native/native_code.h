#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace cvl::cpu {

/// What a region of a kernel is compiled to: computes elements [begin, end) of the index space. `vectors` has, for each
/// input, then for each output, the address at which element 0 would be; then a number, whose bit k tells that output
/// k, which must be Output::only_out and whose first element here is at a multiple of 64, is written past the cache.
/// True if an element is at fault.
using RegionFunction = bool(const void* const* vectors, std::int64_t begin, std::int64_t end);

/// The functions of a region; null if it is not compiled.
struct CompiledRegion {
  RegionFunction* segmented = nullptr;
  /// If all is one segment. What is spread is one element; behind that number is, for each fold, the address of a Slot
  /// for what the elements come to.
  RegionFunction* flat = nullptr;
};

/// Machine code in memory. The functions may be called until it is destroyed.
class NativeCode {
 public:
  virtual ~NativeCode() = default;
  /// The function of this name; there must be one.
  virtual RegionFunction* function(const std::string& name) const = 0;
};

/// What the library that holds LLVM exports under the name native_kernels_compile: machine code for this process from
/// LLVM assembly, whose functions say for which processor they are. Null, with a sentence in `error`, if that fails.
/// Any thread may call it.
using CompileNativeFn = std::unique_ptr<NativeCode>(const std::string& assembly, std::string& error);

}  // namespace cvl::cpu
