#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "cvl/compiler_thread.h"
#include "cvl/object_cache.h"
#include "kernels/kernel_compiler.h"

namespace cvl::cuda {

/// When kernels are compiled.
enum class Compiling : std::uint8_t {
  kBesideTheRun,  ///< from a kernel's first run over a long vector on; until it is compiled, its steps are launched
  kBeforeItRuns,
};

/// From how many elements on a kernel is worth a launch: 65, as fewer are computed by the host; for tests another
/// number, which the environment variable CVL_CUDA_KERNEL_ELEMENTS gives.
std::int64_t fewest_elements_from_environment();

/// The compiled kernels of a process: what compiles, and what it has made before, in memory and on disk.
class KernelStore {
 public:
  KernelStore(std::unique_ptr<KernelCompiler> compiler, ObjectCache cache, Compiling when,
              std::int64_t fewest = fewest_elements_from_environment())
      : compiler_(std::move(compiler)), cache_(std::move(cache)), when_(when), fewest_elements_(fewest) {}

  Compiling when() const { return when_; }
  std::int64_t fewest_elements() const { return fewest_elements_; }
  const KernelCompiler& compiler() const { return *compiler_; }
  const ObjectCache& cache() const { return cache_; }
  /// Compiles beside the run.
  CompilerThread& thread() { return thread_; }

  /// What the functions of a kernel are compiled to, and how it was come by, for people.
  struct Code {
    std::shared_ptr<const KernelCode> functions;
    std::string origin;
  };
  /// Of the kernel with this text. Any thread may call it. Throws std::runtime_error, with a sentence.
  Code get(const std::string& text);

  /// Tells the user, on standard error and only the first time, that a kernel could not be compiled.
  void report(const std::string& kernel, const std::string& reason);

 private:
  const std::unique_ptr<const KernelCompiler> compiler_;
  const ObjectCache cache_;
  const Compiling when_;
  const std::int64_t fewest_elements_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const KernelCode>> in_memory_;  ///< by text
  std::atomic<bool> reported_ = false;
  CompilerThread thread_;  ///< ends before what it uses
};

}  // namespace cvl::cuda
