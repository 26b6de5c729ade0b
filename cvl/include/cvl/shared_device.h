#pragma once

#include <cstddef>
#include <cstdint>

namespace cvl {

/// A device, as DLPack and Arrow number them.
struct DeviceId {
  static constexpr int kHost = 1, kCuda = 2;  ///< types

  int type = kHost;
  int number = 0;  ///< among the devices of the type

  bool operator==(const DeviceId&) const = default;
};

/// A second base class of backends whose memory other libraries of the process can address. Operations then also take
/// operands in memory of the device that others have allocated, aligned like that of Backend::allocate().
///
/// Streams and events are the handles of the device's driver: for CUDA a cudaStream_t, which may be 1, the legacy
/// default stream, or 2, that of the thread; and a cudaEvent_t. All members may throw BackendLost.
class SharedDevice {
 public:
  virtual ~SharedDevice() = default;

  virtual DeviceId device() const = 0;
  /// Whether operations can read elements at this address.
  virtual bool can_read(const void* address) const = 0;
  /// Waits until the work that others have issued on a stream, or before an event, is done.
  virtual void await_stream(std::uintptr_t stream) = 0;
  virtual void await_event(std::uintptr_t event) = 0;
  /// Waits until all work on the device is done, whoever has issued it.
  virtual void await_all() = 0;
  /// Copies between addresses on the device, which need no alignment, and waits for the copy.
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
};

}  // namespace cvl
