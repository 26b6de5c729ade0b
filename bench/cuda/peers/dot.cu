#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_reduce.cuh>

#include "device_array.h"
#include "device_peers.h"

namespace bench::cuda {
namespace {

struct Product {
  const float *x, *y;
  __device__ float operator()(std::int64_t k) const { return x[k] * y[k]; }
};
struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

void fill(std::int64_t n, float* x, float* y) {
  for_each(n, [=] __device__(std::int64_t k) {
    x[k] = float(k % 1000) / 1000.0f;
    y[k] = float(k % 777) / 777.0f;
  });
}

/// One kernel of CUB that multiplies and sums. cuBLAS is not used: it is a library of its own, too large for the
/// bundle.
class Dot final : public Peer {
 public:
  explicit Dot(std::int64_t n) : n_(n), x_(n), y_(n), sum_(1) { fill(n, x_.data(), y_.data()); }
  void issue() override {
    scratch_.run([&](void* scratch, std::size_t& bytes) {
      return cub::DeviceReduce::TransformReduce(scratch, bytes, thrust::counting_iterator<std::int64_t>(0), sum_.data(),
                                                n_, Sum{}, Product{x_.data(), y_.data()}, 0.0f);
    });
  }
  double result() override { return sum_.at(0); }

 private:
  std::int64_t n_;
  DeviceArray<float> x_, y_, sum_;
  Scratch scratch_;
};

}  // namespace

std::unique_ptr<Peer> make_dot(std::int64_t n) { return std::make_unique<Dot>(n); }

}  // namespace bench::cuda
