#include <cub/device/device_radix_sort.cuh>

#include "device_array.h"
#include "device_peers.h"

namespace bench::cuda {
namespace {

void count(std::int64_t n, std::int32_t* positions) {
  for_each(n, [=] __device__(std::int64_t k) { positions[k] = std::int32_t(k); });
}

void fill(std::int64_t n, std::int32_t* keys) {
  for_each(n, [=] __device__(std::int64_t k) { keys[k] = std::int32_t(k * 2039 % 1000003); });
}

template <class Key>
class SortPairs final : public Peer {
 public:
  SortPairs(const Key* keys, std::int64_t n) : n_(n), keys_(keys), sorted_(n), positions_(n), permutation_(n) {
    count(n, positions_.data());
  }
  void issue() override {
    scratch_.run([&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys_, sorted_.data(), positions_.data(),
                                             permutation_.data(), n_);
    });
  }
  double result() override { return double(permutation_.at(n_ / 2)); }

 private:
  std::int64_t n_;
  const Key* keys_;
  DeviceArray<Key> sorted_;
  DeviceArray<std::int32_t> positions_, permutation_;
  Scratch scratch_;
};

/// The peer of sort.nesl, on the same keys.
class Sort final : public Peer {
 public:
  explicit Sort(std::int64_t n) : n_(n), keys_(n), sorted_(n) { fill(n, keys_.data()); }
  void issue() override {
    scratch_.run([&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(scratch, bytes, keys_.data(), sorted_.data(), n_);
    });
  }
  double result() override { return double(sorted_.at(n_ / 2)); }

 private:
  std::int64_t n_;
  DeviceArray<std::int32_t> keys_, sorted_;
  Scratch scratch_;
};

}  // namespace

std::unique_ptr<Peer> make_sort_pairs(vcode::ElemType type, const void* keys, std::int64_t n) {
  switch (type) {
    case vcode::ElemType::kF32:
      return std::make_unique<SortPairs<float>>(static_cast<const float*>(keys), n);
    case vcode::ElemType::kF64:
      return std::make_unique<SortPairs<double>>(static_cast<const double*>(keys), n);
    default:
      return std::make_unique<SortPairs<std::int32_t>>(static_cast<const std::int32_t*>(keys), n);
  }
}

std::unique_ptr<Peer> make_sort(std::int64_t n) { return std::make_unique<Sort>(n); }

}  // namespace bench::cuda
