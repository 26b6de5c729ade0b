#include <cuda_runtime.h>

#include "executor/current_device.h"

namespace cvl::cuda {

int current_device() noexcept {
  int device = 0;
  (void)cudaGetDevice(&device);
  return device;
}

UsingDevice::UsingDevice(int device) noexcept : device_(device), before_(current_device()) {
  if (device_ != before_) (void)cudaSetDevice(device_);
}
UsingDevice::~UsingDevice() {
  if (device_ != before_) (void)cudaSetDevice(before_);
}

}  // namespace cvl::cuda
