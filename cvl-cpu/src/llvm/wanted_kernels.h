#pragma once

#include <chrono>
#include <mutex>
#include <set>
#include <string>

#include "cvl/object_cache.h"

namespace cvl::cpu {

/// Kernels that a process has run without their code.
class WantedKernels {
 public:
  /// `program`: path of native-kernels-fill; `library`: of the library that compiles.
  WantedKernels(const ObjectCache& cache, std::string program, std::string library);
  ~WantedKernels() { compile_elsewhere(); }
  WantedKernels(const WantedKernels&) = delete;
  WantedKernels& operator=(const WantedKernels&) = delete;

  /// Adds or removes a kernel, by the key of its object in the cache. Any thread may call them.
  void add(std::string key);
  void remove(const std::string& key);
  /// Starts native-kernels-fill, a process that outlives this one and compiles the kernels into the cache, so that the
  /// next run of the same program finds them; unless this process has run for less than kShortRun. Empties the set.
  void compile_elsewhere();

 private:
  static constexpr std::chrono::milliseconds kShortRun{50};

  const ObjectCache& cache_;
  const std::string program_, library_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::set<std::string> keys_;
};

}  // namespace cvl::cpu
