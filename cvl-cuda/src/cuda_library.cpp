#include <cuda_runtime.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "device_backend.h"
#include "executor/current_device.h"
#include "kernels/cuda_kernel_compiler.h"

namespace cvl::cuda {
namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

struct Nothing {
  __device__ void operator()(std::int64_t) const {}
};

/// The reason why the device of the calling thread cannot be used; empty if it can.
std::string what_is_missing() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status == cudaErrorInsufficientDriver) {
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    if (driver == 0) return "there is no CUDA driver on this machine";
    return "the CUDA driver is too old: it supports CUDA " + version_text(driver) + ", and this library needs " +
           version_text(runtime);
  }
  if (status == cudaErrorNoDevice || (status == cudaSuccess && devices == 0)) return "there is no CUDA device";
  if (status != cudaSuccess) return std::string("CUDA cannot be used: ") + cudaGetErrorString(status);
  cudaFuncAttributes attributes;
  if (cudaFuncGetAttributes(&attributes, (kernel<kThreads, kResident, ForEach<Nothing>>)) ==
      cudaErrorNoKernelImageForDevice)
    return "this library was not compiled for a device like this one";
  return "";
}

/// True if generated kernels may contract a * b + c, which requires CVL_CUDA_CONTRACT=on.
bool contracts_from_environment() {
  const char* const given = std::getenv("CVL_CUDA_CONTRACT");
  return given != nullptr && std::string_view(given) == "on";
}

/// Computes on the device of the calling thread.
Backend* create(const BackendOptions& options, std::string& error) {
  error = what_is_missing();
  if (!error.empty()) return nullptr;
  auto backend = make_device_backend(error, options.memory_limit, options.stop_requested);
  if (backend == nullptr) return nullptr;
  const std::string_view native = options.native;
  if (native != "off")
    backend->compile_kernels(std::make_unique<KernelStore>(
        std::make_unique<CudaKernelCompiler>(
            DeviceTarget{backend->executor().architecture(), contracts_from_environment()}),
        ObjectCache(options.kernel_cache), native == "always" ? Compiling::kBeforeItRuns : Compiling::kBesideTheRun));
  return backend.release();
}

Backend* create_on_device(const BackendOptions& options, int device, std::string& error) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    error = what_is_missing();
    return nullptr;
  }
  error = missing_device(device, devices);
  if (!error.empty()) return nullptr;
  const UsingDevice use(device);
  Backend* const backend = create(options, error);
  if (backend == nullptr) error = "device " + std::to_string(device) + ": " + error;
  return backend;
}

}  // namespace
}  // namespace cvl::cuda

extern "C" __attribute__((visibility("default"))) int cvl_backend_abi() { return cvl::kBackendAbi; }

extern "C" __attribute__((visibility("default"))) int cvl_backend_preference() { return cvl::kPreferDevice; }

extern "C" __attribute__((visibility("default"))) cvl::Backend* cvl_create_backend(const cvl::BackendOptions& options,
                                                                                   std::string& error) {
  return cvl::cuda::create(options, error);
}

extern "C" __attribute__((visibility("default"))) int cvl_device_count() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess ? devices : 0;
}

extern "C" __attribute__((visibility("default"))) cvl::Backend* cvl_create_backend_on_device(
    const cvl::BackendOptions& options, int device, std::string& error) {
  return cvl::cuda::create_on_device(options, device, error);
}

/// For benchmarks: see CudaExecutor::fewest_blocks. `backend` must have been created by this library.
extern "C" __attribute__((visibility("default"))) int cvl_cuda_fewest_blocks(cvl::Backend& backend) {
  auto& own = static_cast<cvl::cuda::DeviceBackend&>(backend);
  own.flush();
  return own.executor().fewest_blocks();
}
