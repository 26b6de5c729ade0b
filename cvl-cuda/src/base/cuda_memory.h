#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "base/cuda_check.h"
#include "base/pool.h"

namespace cvl::cuda {

/// A CUDA stream that does not synchronize with the default stream.
class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream"); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Memory of the device, allocated and freed in the order of a stream.
class DeviceMemory final : public MemorySource {
 public:
  explicit DeviceMemory(cudaStream_t stream);
  void* take(std::size_t bytes) noexcept override;
  void give_back(void* data, std::size_t bytes) noexcept override;
  void settle() noexcept override;

 private:
  cudaStream_t stream_;
  cudaMemPool_t pool_ = nullptr;
};

/// n elements of pinned memory of the host, mapped into the address space of the device.
template <class T>
class Mapped {
 public:
  explicit Mapped(std::size_t n = 1) {
    void* data = nullptr;
    check(cudaHostAlloc(&data, n * sizeof(T), cudaHostAllocMapped), "allocating memory for both host and device");
    host_ = new (data) T[n]();
    check(cudaHostGetDevicePointer(&data, data, 0), "mapping memory of the host");
    device_ = static_cast<T*>(data);
  }
  ~Mapped() { cudaFreeHost(const_cast<T*>(host_)); }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  volatile T* host() const { return host_; }
  T* device() const { return device_; }

 private:
  volatile T* host_;
  T* device_;
};

/// Pinned memory from which short uploads are copied asynchronously, so that the caller need not wait for the copy.
class Staging {
 public:
  static constexpr std::size_t kBytes = std::size_t{1} << 20;

  explicit Staging(cudaStream_t stream) : stream_(stream), memory_(kBytes) {}
  /// Issues the copy of at most kBytes. False if the pending copies leave no room: the caller then waits for the
  /// stream, calls restart() and tries again.
  bool upload(void* device, const void* host, std::size_t bytes);
  /// Frees the room of all copies. Requires that all copies have arrived.
  void restart() { used_ = 0; }

 private:
  cudaStream_t stream_;
  Mapped<unsigned char> memory_;
  std::size_t used_ = 0;
};

}  // namespace cvl::cuda
