// The CUDA library on its host executor, for tests. Addresses are disguised, as the host cannot use those of a device.

#include <cstdlib>
#include <cstring>
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
  // Simulates a device that fails in its Nth launch: "N" for all devices, or "N:DEVICE".
  if (const char* const launch = std::getenv("CVL_CUDA_HOST_LOSE")) {
    const char* const device = std::strchr(launch, ':');
    if (device == nullptr || std::atoi(device + 1) == cvl::cuda::current_device())
      backend->executor().lose_launch(std::atoll(launch));
  }
  return cvl::conformance::make_separate_memory(std::move(backend)).release();
}

/// There are four devices, each an executor of its own.
extern "C" int cvl_device_count() { return 4; }

extern "C" cvl::Backend* cvl_create_backend_on_device(const cvl::BackendOptions& options, int device,
                                                      std::string& error) {
  error = cvl::cuda::missing_device(device, cvl_device_count());
  if (!error.empty()) return nullptr;
  const cvl::cuda::UsingDevice use(device);
  return cvl_create_backend(options, error);
}
