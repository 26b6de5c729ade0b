#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace bench::cuda {

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(status));
}

/// Memory of the device for n elements.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::int64_t n) { check(cudaMalloc(&data_, std::size_t(n > 0 ? n : 1) * sizeof(T))); }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return data_; }
  /// Element k. Waits for all work issued before.
  T at(std::int64_t k) const {
    T value;
    check(cudaMemcpy(&value, data_ + k, sizeof value, cudaMemcpyDeviceToHost));
    return value;
  }

 private:
  T* data_ = nullptr;
};

/// Calls f(k) for each k below n.
template <class F>
__global__ void for_each_kernel(std::int64_t n, F f) {
  const std::int64_t step = std::int64_t{blockDim.x} * gridDim.x;
  for (std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; k < n; k += step) f(k);
}
template <class F>
void for_each(std::int64_t n, F f) {
  constexpr int kThreads = 256;
  constexpr std::int64_t kMostBlocks = 1 << 20;
  const std::int64_t blocks = (n + kThreads - 1) / kThreads;
  if (n > 0) for_each_kernel<<<unsigned(blocks < kMostBlocks ? blocks : kMostBlocks), kThreads>>>(n, f);
  check(cudaGetLastError());
}

/// Calls a function of CUB twice, as CUB requires: for the size of its scratch memory, then to compute.
class Scratch {
 public:
  template <class F>
  void run(F&& function) {
    std::size_t bytes = 0;
    check(function(nullptr, bytes));
    if (bytes > bytes_) {
      check(cudaFree(data_));
      data_ = nullptr;
      check(cudaMalloc(&data_, bytes));
      bytes_ = bytes;
    }
    check(function(data_, bytes));
  }
  Scratch() = default;
  ~Scratch() { cudaFree(data_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace bench::cuda
