#include "base/cuda_memory.h"

#include <cstdint>
#include <cstring>

#include "base/check.h"

namespace cvl::cuda {

DeviceMemory::DeviceMemory(cudaStream_t stream) : stream_(stream) {
  int device = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  check(cudaDeviceGetDefaultMemPool(&pool_, device), "asking for the memory pool");
  std::uint64_t all = UINT64_MAX;
  check(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &all), "setting up the memory pool");
}

void* DeviceMemory::take(std::size_t bytes) noexcept {
  void* data = nullptr;
  if (cudaMallocAsync(&data, bytes, stream_) == cudaSuccess) return data;
  (void)cudaGetLastError();  // otherwise the next launch would report the failed allocation
  return nullptr;
}

void DeviceMemory::give_back(void* data, std::size_t) noexcept { cudaFreeAsync(data, stream_); }

void DeviceMemory::settle() noexcept {
  // Blocks are freed in the order of the stream, and the release threshold keeps them in the driver's pool until the
  // pool is trimmed. A failure of the device is reported by the next launch.
  cudaStreamSynchronize(stream_);
  cudaMemPoolTrimTo(pool_, 0);
}

bool Staging::upload(void* device, const void* host, std::size_t bytes) {
  constexpr std::size_t kAlignment = 64;
  VC_CHECK(bytes <= kBytes);
  const std::size_t begin = (used_ + kAlignment - 1) / kAlignment * kAlignment;
  if (begin + bytes > kBytes) return false;
  auto* const position = const_cast<unsigned char*>(memory_.host()) + begin;
  std::memcpy(position, host, bytes);
  check(cudaMemcpyAsync(device, position, bytes, cudaMemcpyHostToDevice, stream_), "copying to the device");
  used_ = begin + bytes;
  return true;
}

}  // namespace cvl::cuda
