#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>

#include <functional>

#include "device_array.h"
#include "device_peers.h"

namespace bench::cuda {
namespace {

/// A function of CUB and its results, as many as the elements of `to`.
template <class T>
class CubOperation final : public Peer {
 public:
  using Function = std::function<cudaError_t(void* scratch, std::size_t& bytes, T* to, std::int64_t* count)>;

  CubOperation(std::int64_t n, Function function) : to_(n), count_(1), function_(std::move(function)) {}
  void issue() override {
    scratch_.run(
        [&](void* scratch, std::size_t& bytes) { return function_(scratch, bytes, to_.data(), count_.data()); });
  }
  double result() override { return double(to_.at(0)); }

 private:
  DeviceArray<T> to_;
  DeviceArray<std::int64_t> count_;
  Function function_;
  Scratch scratch_;
};

/// Calls f.template operator()<T>() for a type of numbers.
template <class F>
std::unique_ptr<Peer> with_number(vcode::ElemType type, F&& f) {
  switch (type) {
    case vcode::ElemType::kF32:
      return f.template operator()<float>();
    case vcode::ElemType::kF64:
      return f.template operator()<double>();
    default:
      return f.template operator()<std::int32_t>();
  }
}

}  // namespace

std::unique_ptr<Peer> make_cub_scan(vcode::ElemType type, const void* values, std::int64_t n) {
  return with_number(type, [&]<class T>() -> std::unique_ptr<Peer> {
    return std::make_unique<CubOperation<T>>(n, [=](void* scratch, std::size_t& bytes, T* to, std::int64_t*) {
      return cub::DeviceScan::ExclusiveSum(scratch, bytes, static_cast<const T*>(values), to, n);
    });
  });
}

std::unique_ptr<Peer> make_cub_reduce(vcode::ElemType type, const void* values, std::int64_t n) {
  return with_number(type, [&]<class T>() -> std::unique_ptr<Peer> {
    return std::make_unique<CubOperation<T>>(1, [=](void* scratch, std::size_t& bytes, T* to, std::int64_t*) {
      return cub::DeviceReduce::Sum(scratch, bytes, static_cast<const T*>(values), to, n);
    });
  });
}

std::unique_ptr<Peer> make_cub_segmented_reduce(vcode::ElemType type, const void* values, const std::int64_t* offsets,
                                                std::int64_t segments) {
  return with_number(type, [&]<class T>() -> std::unique_ptr<Peer> {
    return std::make_unique<CubOperation<T>>(segments, [=](void* scratch, std::size_t& bytes, T* to, std::int64_t*) {
      return cub::DeviceSegmentedReduce::Sum(scratch, bytes, static_cast<const T*>(values), to, segments, offsets,
                                             offsets + 1);
    });
  });
}

std::unique_ptr<Peer> make_cub_select(vcode::ElemType type, const void* values, const void* flags, std::int64_t n) {
  return with_number(type, [&]<class T>() -> std::unique_ptr<Peer> {
    return std::make_unique<CubOperation<T>>(n, [=](void* scratch, std::size_t& bytes, T* to, std::int64_t* count) {
      return cub::DeviceSelect::Flagged(scratch, bytes, static_cast<const T*>(values), static_cast<const bool*>(flags),
                                        to, count, n);
    });
  });
}

}  // namespace bench::cuda
