#include "kernels/kernel_store.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

namespace cvl::cuda {

std::int64_t fewest_elements_from_environment() {
  const char* const given = std::getenv("CVL_CUDA_KERNEL_ELEMENTS");
  return given != nullptr ? std::atoll(given) : 65;
}

KernelStore::Code KernelStore::get(const std::string& text) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = in_memory_.find(text); found != in_memory_.end()) return {found->second, "compiled before"};
  }
  const auto begin = std::chrono::steady_clock::now();
  const std::string key = compiler_->target() + "\n" + text;
  Code code;
  std::string problem;
  if (const std::optional<std::string> cached = cache_.find(key, &problem)) {
    try {
      code = {compiler_->load(*cached), "from the cache"};
    } catch (const std::runtime_error& failure) {
      // A cached object that cannot be loaded is compiled again and replaced.
      problem = std::string("its file in the cache is ignored: ") + failure.what();
    }
  }
  std::size_t bytes = 0;
  if (code.functions == nullptr) {
    const std::string object = compiler_->compile(text);
    code = {compiler_->load(object), "compiled"};
    bytes = object.size();
    const std::string unkept = cache_.keep(key, object);
    if (problem.empty()) problem = unkept;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  code.origin += fmt::format(" in {:.1f} ms", took.count() * 1e3);
  if (bytes > 0) code.origin += fmt::format(", {} bytes", bytes);
  if (!problem.empty()) code.origin += "; " + problem;
  const std::lock_guard lock(mutex_);
  in_memory_.emplace(text, code.functions);
  return code;
}

void KernelStore::report(const std::string& kernel, const std::string& reason) {
  if (!reported_.exchange(true))
    std::fprintf(stderr, "note: kernel %s runs operation by operation: %s\n", kernel.c_str(), reason.c_str());
}

}  // namespace cvl::cuda
