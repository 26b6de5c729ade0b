#include "executor/current_device.h"

namespace cvl::cuda {

namespace {

thread_local int device_of_thread = 0;

}  // namespace

int current_device() noexcept { return device_of_thread; }

UsingDevice::UsingDevice(int device) noexcept : device_(device), before_(device_of_thread) {
  device_of_thread = device_;
}
UsingDevice::~UsingDevice() { device_of_thread = before_; }

}  // namespace cvl::cuda
