#include "base/cuda_check.h"
#include "executor/current_device.h"
#include "executor/foreign_work.h"

namespace cvl::cuda {

bool is_on_device(const void* address) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, address) != cudaSuccess) {
    (void)cudaGetLastError();  // otherwise the next launch would report this error
    return false;
  }
  return attributes.type == cudaMemoryTypeManaged ||
         (attributes.type == cudaMemoryTypeDevice && attributes.device == current_device());
}

void await_foreign_stream(std::uintptr_t stream) {
  check(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(stream)), "waiting for a stream of another library");
}

void await_foreign_event(std::uintptr_t event) {
  check(cudaEventSynchronize(reinterpret_cast<cudaEvent_t>(event)), "waiting for an event of another library");
}

void await_device() { check(cudaDeviceSynchronize(), "waiting for the device"); }

}  // namespace cvl::cuda
