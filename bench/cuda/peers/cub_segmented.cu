#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include "device_array.h"
#include "device_peers.h"

namespace bench::cuda {
namespace {

/// Stores the number of its segment for each element. One block for each segment in turn.
__global__ void number_segments(const std::int64_t* offsets, std::int64_t segments, std::int32_t* numbers) {
  for (std::int64_t s = blockIdx.x; s < segments; s += gridDim.x)
    for (std::int64_t e = offsets[s] + threadIdx.x; e < offsets[s + 1]; e += blockDim.x) numbers[e] = std::int32_t(s);
}

void number_elements(std::int64_t n, std::int32_t* numbers) {
  for_each(n, [=] __device__(std::int64_t k) { numbers[k] = std::int32_t(k); });
}

template <class T>
class ScanByKey final : public Peer {
 public:
  ScanByKey(const T* values, std::int64_t n, const std::int64_t* offsets, std::int64_t segments)
      : n_(n), values_(values), keys_(n), sums_(n) {
    constexpr unsigned kBlocks = 4096, kThreads = 64;
    number_segments<<<kBlocks, kThreads>>>(offsets, segments, keys_.data());
    check(cudaGetLastError());
    wait_for_device();
  }
  void issue() override {
    scratch_.run([&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSumByKey(scratch, bytes, keys_.data(), values_, sums_.data(), n_);
    });
  }
  double result() override { return double(sums_.at(n_ - 1)); }

 private:
  std::int64_t n_;
  const T* values_;
  DeviceArray<std::int32_t> keys_;
  DeviceArray<T> sums_;
  Scratch scratch_;
};

class SegmentedSort final : public Peer {
 public:
  SegmentedSort(const std::int32_t* keys, std::int64_t n, const std::int64_t* offsets, std::int64_t segments)
      : n_(n), segments_(segments), keys_(keys), offsets_(offsets), sorted_(n), positions_(n), permutation_(n) {
    number_elements(n, positions_.data());
  }
  void issue() override {
    scratch_.run([&](void* scratch, std::size_t& bytes) {
      return cub::DeviceSegmentedSort::StableSortPairs(scratch, bytes, keys_, sorted_.data(), positions_.data(),
                                                       permutation_.data(), n_, segments_, offsets_, offsets_ + 1);
    });
  }
  double result() override { return double(permutation_.at(n_ / 2)); }

 private:
  std::int64_t n_, segments_;
  const std::int32_t* keys_;
  const std::int64_t* offsets_;
  DeviceArray<std::int32_t> sorted_, positions_, permutation_;
  Scratch scratch_;
};

}  // namespace

std::unique_ptr<Peer> make_cub_scan_by_key(vcode::ElemType type, const void* values, std::int64_t n,
                                           const std::int64_t* offsets, std::int64_t segments) {
  if (type != vcode::ElemType::kF32) throw std::runtime_error("CUB scans floats of 32 bits by keys");
  return std::make_unique<ScanByKey<float>>(static_cast<const float*>(values), n, offsets, segments);
}

std::unique_ptr<Peer> make_cub_segmented_sort(const void* keys, std::int64_t n, const std::int64_t* offsets,
                                              std::int64_t segments) {
  return std::make_unique<SegmentedSort>(static_cast<const std::int32_t*>(keys), n, offsets, segments);
}

}  // namespace bench::cuda
