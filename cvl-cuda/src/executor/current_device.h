#pragma once

#include <string>

/// The device of the calling thread. Defined by cuda_current_device.cpp, and for the host executor, whose devices are
/// numbers alone, by host_current_device.cpp.
namespace cvl::cuda {

int current_device() noexcept;

/// A sentence if there is no device of a number among so many; else empty.
inline std::string missing_device(int device, int devices) {
  if (device < devices) return "";
  return "there is no device " + std::to_string(device) + ": " +
         (devices == 1 ? "the only one is device 0" : "devices are numbered from 0 to " + std::to_string(devices - 1));
}

/// Makes a device that of the calling thread while this object exists: a stream takes launches only from threads whose
/// device is that of the stream. Other libraries of the process find their device again. A device that cannot be
/// used is reported by the next launch.
class UsingDevice {
 public:
  explicit UsingDevice(int device) noexcept;
  ~UsingDevice();
  UsingDevice(const UsingDevice&) = delete;
  UsingDevice& operator=(const UsingDevice&) = delete;

 private:
  const int device_, before_;
};

}  // namespace cvl::cuda
