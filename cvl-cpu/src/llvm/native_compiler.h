#pragma once

#include <memory>
#include <string>
#include <utility>

#include "cvl/compiler_thread.h"
#include "cvl/object_cache.h"
#include "llvm/native_code.h"
#include "llvm/perf_map.h"

namespace cvl::cpu {

/// Compiler of kernels: the library that contains LLVM, opened at first use; the cache of object files; and a thread
/// that compiles in the background.
class NativeCompiler {
 public:
  /// With `symbols`, functions are listed in that file for perf, and registered with GDB through GDB's interface.
  explicit NativeCompiler(ObjectCache cache, const PerfMap* symbols = nullptr)
      : cache_(std::move(cache)), symbols_(symbols) {}

  /// Name of the compiler, as "LLVM 19"; "" if there is no such library next to this one. Does not open the library.
  static std::string version();
  /// Opens the library. False, with a sentence in `error`, if that fails.
  static bool open(std::string& error);
  /// Key under which a cache stores the object file of this assembly. Throws std::runtime_error if there is no library.
  static std::string cache_key(const std::string& assembly);

  const ObjectCache& cache() const { return cache_; }
  /// Whether the names of functions are read by people, in a debugger or profiler.
  bool keeps_symbols() const { return symbols_ != nullptr; }
  /// Machine code of the assembly, from the cache if possible; `was_cached`, if not null, is set to whether it was.
  /// Throws std::runtime_error if there is no library or it rejects the code. Any thread may call it.
  std::unique_ptr<NativeCode> compile(const std::string& assembly, bool* was_cached = nullptr) const;

  /// The thread that compiles in the background.
  CompilerThread& thread() { return thread_; }

 private:
  const ObjectCache cache_;
  const PerfMap* const symbols_;  ///< may be null
  CompilerThread thread_;         ///< must end before the members above are destroyed
};

}  // namespace cvl::cpu
