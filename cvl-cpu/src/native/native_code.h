#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace cvl::cpu {

/// What a region of a kernel is compiled to: computes elements [begin, end) of the index space. `vectors` has, for each
/// input, then for each output, the address at which element 0 would be; then a number, whose bit k tells that output
/// k, which must be Output::only_out and whose first element here is at a multiple of 64, is written past the cache;
/// then, for each table, the address of its elements, which is that of anything if it has none, and their number.
/// True if an element is at fault.
using RegionFunction = bool(const void* const* vectors, std::int64_t begin, std::int64_t end);

/// The functions of a region; null if it is not compiled.
struct CompiledRegion {
  RegionFunction* segmented = nullptr;
  /// If all is one segment. For what is spread there is the address of the element, for a progression that of its
  /// start; behind all that are, for each fold, the address of a Slot for what the elements come to, and for each
  /// progression the address of its stride.
  RegionFunction* flat = nullptr;
};

/// Machine code in memory. The functions may be called until it is destroyed.
class NativeCode {
 public:
  virtual ~NativeCode() = default;
  /// The function of this name; there must be one.
  virtual RegionFunction* function(const std::string& name) const = 0;
};

/// What the library that holds LLVM does. Any thread may call it. What fails says why in `error`, in a sentence.
class NativeLibrary {
 public:
  /// All that object files depend on besides the assembly that they are made from: LLVM's version, and how it is used.
  virtual std::string version() const = 0;
  /// An object file from LLVM assembly, whose functions say for which processor they are. Empty if that fails.
  virtual std::string compile(const std::string& assembly, std::string& error) = 0;
  /// Machine code for this process from what compile() made in any process. Null if that fails.
  virtual std::unique_ptr<NativeCode> load(const std::string& object, std::string& error) = 0;

 protected:
  ~NativeLibrary() = default;
};

/// What that library exports under the name native_kernels_library. The result lives until the process ends. Null, with
/// a sentence in `error`, if LLVM cannot be used.
using NativeLibraryFn = NativeLibrary*(std::string& error);

}  // namespace cvl::cpu
