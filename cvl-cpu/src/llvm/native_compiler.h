#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "cvl/compiler_thread.h"
#include "cvl/object_cache.h"
#include "llvm/native_code.h"
#include "llvm/perf_map.h"
#include "llvm/wanted_kernels.h"

namespace cvl::cpu {

/// Compiler of kernels: the library that contains LLVM, opened when a kernel is compiled that the cache lacks; the
/// cache of object files; and a thread that compiles in the background.
class NativeCompiler {
 public:
  /// With `symbols`, functions are listed in that file for perf, and registered with GDB through GDB's interface.
  explicit NativeCompiler(ObjectCache cache, const PerfMap* symbols = nullptr);

  /// Name of the compiler, as "LLVM 19"; "" if there is no such library next to this one. Does not open the library.
  static std::string version();
  /// Opens the library. False, with a sentence in `error`, if that fails.
  static bool open(std::string& error);
  /// Key under which a cache stores the object file of this assembly.
  static std::string cache_key(const std::string& assembly);

  const ObjectCache& cache() const { return cache_; }
  /// Whether the names of functions are read by people, in a debugger or profiler.
  bool keeps_symbols() const { return symbols_ != nullptr; }
  /// Machine code of the assembly from the cache; null if it has none that can be loaded. Does not open the library.
  /// `problem` becomes a clause that says why a file of the cache is not used, if it is not null and there is such a
  /// file. Any thread may call it, as compile().
  std::unique_ptr<NativeCode> find(const std::string& assembly, std::string* problem = nullptr);
  /// Compiles the assembly, and keeps the object in the cache. Throws std::runtime_error if there is no library or it
  /// rejects the code. `problem` becomes a clause that says why the object is not kept, if it is not null and there is
  /// such a reason.
  std::unique_ptr<NativeCode> compile(const std::string& assembly, std::string* problem = nullptr);
  /// A clause that says why a cache that had objects before this process had none for it: they were made by other
  /// versions, or for other processors. Empty if one was found, if none was looked for, and for other reasons.
  std::string why_none_fits() const;

  /// Has kernels that find() missed and compile() did not make compiled by a process that outlives this one.
  void leave_process() { wanted_.compile_elsewhere(); }

  /// The thread that compiles in the background.
  CompilerThread& thread() { return thread_; }

 private:
  std::unique_ptr<NativeCode> load(const std::string& object) const;
  std::string compare_others() const;

  const ObjectCache cache_;
  const PerfMap* const symbols_;  ///< may be null
  const std::chrono::system_clock::time_point begin_ = std::chrono::system_clock::now();
  std::atomic<bool> has_found_ = false;
  mutable std::mutex mutex_;
  std::string missed_;                                ///< a key that the cache lacked
  mutable std::optional<std::string> why_none_fits_;  ///< made once, since that reads the whole cache
  WantedKernels wanted_;
  CompilerThread thread_;  ///< must end before the members above are destroyed
};

}  // namespace cvl::cpu
