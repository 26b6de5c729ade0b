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
  kBesideTheRun,  ///< from the first run over a long vector on; until then its steps are launched one by one
  kBeforeItRuns,
};

/// The fewest elements for which a kernel is launched. The default is 65, since shorter vectors are computed by the
/// host; tests set the environment variable CVL_CUDA_KERNEL_ELEMENTS.
std::int64_t fewest_elements_from_environment();

/// The compiled kernels of a process, in memory and in a cache on disk, and their compiler.
class KernelStore {
 public:
  KernelStore(std::unique_ptr<KernelCompiler> compiler, ObjectCache cache, Compiling when,
              std::int64_t fewest = fewest_elements_from_environment())
      : compiler_(std::move(compiler)), cache_(std::move(cache)), when_(when), fewest_elements_(fewest) {}

  Compiling when() const { return when_; }
  std::int64_t fewest_elements() const { return fewest_elements_; }
  const KernelCompiler& compiler() const { return *compiler_; }
  const ObjectCache& cache() const { return cache_; }
  /// The thread that compiles concurrently with the run.
  CompilerThread& thread() { return thread_; }

  /// The compiled functions of a kernel, and their origin and compile time for messages.
  struct Code {
    std::shared_ptr<const KernelCode> functions;
    std::string origin;
  };
  /// The code of the kernel with this text, from memory, cache or compiler. Any thread may call it. Throws
  /// std::runtime_error with a sentence.
  Code get(const std::string& text);

  /// Prints a note on standard error that a kernel could not be compiled, the first time only.
  void report(const std::string& kernel, const std::string& reason);

 private:
  const std::unique_ptr<const KernelCompiler> compiler_;
  const ObjectCache cache_;
  const Compiling when_;
  const std::int64_t fewest_elements_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const KernelCode>> in_memory_;  ///< by text
  std::atomic<bool> reported_ = false;
  CompilerThread thread_;  ///< last, so that it is joined before the other members are destroyed
};

}  // namespace cvl::cuda
