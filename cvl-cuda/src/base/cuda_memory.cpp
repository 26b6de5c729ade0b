#include "base/cuda_memory.h"

#include <cstdint>
#include <cstring>

namespace cvl::cuda {

DeviceMemory::DeviceMemory(cudaStream_t stream) : stream_(stream) {
  int device = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  cudaMemPool_t pool = nullptr;
  check(cudaDeviceGetDefaultMemPool(&pool, device), "asking for the memory pool");
  std::uint64_t all = UINT64_MAX;
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all), "setting up the memory pool");
}

void* DeviceMemory::take(std::size_t bytes) noexcept {
  void* data = nullptr;
  if (cudaMallocAsync(&data, bytes, stream_) == cudaSuccess) return data;
  (void)cudaGetLastError();  // memory that is not there does not spoil what follows
  return nullptr;
}

void DeviceMemory::give_back(void* data, std::size_t) noexcept { cudaFreeAsync(data, stream_); }

bool Staging::upload(void* device, const void* host, std::size_t bytes) {
  constexpr std::size_t kAlignment = 64;
  const std::size_t begin = (used_ + kAlignment - 1) / kAlignment * kAlignment;
  if (begin + bytes > kBytes) return false;
  auto* const place = const_cast<unsigned char*>(ring_.host()) + begin;
  std::memcpy(place, host, bytes);
  check(cudaMemcpyAsync(device, place, bytes, cudaMemcpyHostToDevice, stream_), "copying to the device");
  used_ = begin + bytes;
  return true;
}

}  // namespace cvl::cuda
