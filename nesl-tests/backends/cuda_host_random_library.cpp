// Like cuda_host_library.cpp, but several threads, in random orders, run everything that a device runs concurrently.
// The seed is NESL_TEST_SEED if it is set, else another one each time; description() has the seed.

#include <cstdlib>
#include <limits>
#include <random>

#include "device_backend.h"
#include "host_kernels.h"
#include "separate_memory.h"

namespace {

std::uint64_t seed() {
  const char* const given = std::getenv("NESL_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
}

}  // namespace

extern "C" int cvl_backend_abi() { return cvl::kBackendAbi; }

extern "C" cvl::Backend* cvl_create_backend(const cvl::BackendOptions& options, std::string& error) {
  const std::size_t limit = options.memory_limit != 0 ? options.memory_limit : std::numeric_limits<std::size_t>::max();
  const cvl::cuda::Concurrency concurrency{options.threads != 0 ? options.threads : 3, seed()};
  auto backend = cvl::cuda::make_device_backend(error, limit, concurrency);
  if (backend == nullptr) return nullptr;
  cvl::conformance::compile_kernels_on_host(*backend, options);
  return cvl::conformance::make_separate_memory(std::move(backend)).release();
}
