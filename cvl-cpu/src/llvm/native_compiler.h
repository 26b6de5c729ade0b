#pragma once

#include <memory>
#include <string>
#include <utility>

#include "cvl/compiler_thread.h"
#include "cvl/object_cache.h"
#include "llvm/native_code.h"
#include "llvm/perf_map.h"

namespace cvl::cpu {

/// The library that makes machine code, opened when it is first asked for, what it has made before, and a thread that
/// compiles beside the run.
class NativeCompiler {
 public:
  /// With a map, perf is told of all code by that, and GDB by its own interface.
  explicit NativeCompiler(ObjectCache cache, const PerfMap* symbols = nullptr)
      : cache_(std::move(cache)), symbols_(symbols) {}

  /// What compiles, as "LLVM 19", and "" if there is no library beside this one. Does not open it.
  static std::string version();
  /// Opens the library. False, with a sentence in `error`, if that is not possible.
  static bool open(std::string& error);
  /// What a cache keeps the object file of this assembly under. Throws std::runtime_error if there is no library.
  static std::string cache_key(const std::string& assembly);

  const ObjectCache& cache() const { return cache_; }
  /// Whether the names of functions are for people to read.
  bool keeps_symbols() const { return symbols_ != nullptr; }
  /// Machine code, from the cache if it is there, which `was_cached` tells unless it is null. Throws std::runtime_error
  /// if there is no library or it refuses the code. Any thread may call it.
  std::unique_ptr<NativeCode> compile(const std::string& assembly, bool* was_cached = nullptr) const;

  /// Compiles beside the run.
  CompilerThread& thread() { return thread_; }

 private:
  const ObjectCache cache_;
  const PerfMap* const symbols_;  ///< may be null
  CompilerThread thread_;         ///< ends before what it uses
};

}  // namespace cvl::cpu
