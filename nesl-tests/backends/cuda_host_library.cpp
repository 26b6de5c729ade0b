// The CUDA library on its host executor, for tests. Addresses are disguised, as the host cannot use those of a device.

#include <cstdlib>
#include <limits>

#include "device_backend.h"
#include "host_kernels.h"
#include "separate_memory.h"

extern "C" int cvl_backend_abi() { return cvl::kBackendAbi; }

extern "C" cvl::Backend* cvl_create_backend(const cvl::BackendOptions& options, std::string& error) {
  const std::size_t limit = options.memory_limit != 0 ? options.memory_limit : std::numeric_limits<std::size_t>::max();
  auto backend = cvl::cuda::make_device_backend(error, limit);
  if (backend == nullptr) return nullptr;
  cvl::conformance::compile_kernels_on_host(*backend, options);
  // Simulates a device that fails in its Nth launch.
  if (const char* const launch = std::getenv("CVL_CUDA_HOST_LOSE")) backend->executor().lose_launch(std::atoll(launch));
  return cvl::conformance::make_separate_memory(std::move(backend)).release();
}
