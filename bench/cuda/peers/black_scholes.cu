#include "device_array.h"
#include "device_peers.h"

namespace bench::cuda {
namespace {

__device__ float normal(float x) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
  const float p =
      k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.3989422804f * expf(-0.5f * x * x) * p;
  return x < 0.0f ? tail : 1.0f - tail;
}

__device__ float call_price(float spot, float strike, float years) {
  constexpr float kRate = 0.02f, kVolatility = 0.3f;
  const float spread = kVolatility * sqrtf(years);
  const float d1 = (logf(spot / strike) + (kRate + 0.5f * kVolatility * kVolatility) * years) / spread;
  return spot * normal(d1) - strike * expf(-kRate * years) * normal(d1 - spread);
}

void fill(std::int64_t n, float* spots, float* strikes, float* years) {
  for_each(n, [=] __device__(std::int64_t k) {
    spots[k] = 5.0f + 25.0f * float(k % 1000) / 1000.0f;
    strikes[k] = 1.0f + 99.0f * float(k % 777) / 777.0f;
    years[k] = 0.25f + 9.75f * float(k % 555) / 555.0f;
  });
}

/// One kernel: reads each input once, writes each price once.
class BlackScholes final : public Peer {
 public:
  explicit BlackScholes(std::int64_t n) : n_(n), spots_(n), strikes_(n), years_(n), prices_(n) {
    fill(n, spots_.data(), strikes_.data(), years_.data());
  }
  void issue() override {
    for_each(n_, [spots = spots_.data(), strikes = strikes_.data(), years = years_.data(),
                  prices = prices_.data()] __device__(std::int64_t k) {
      prices[k] = call_price(spots[k], strikes[k], years[k]);
    });
  }
  double result() override { return prices_.at(n_ / 2); }

 private:
  std::int64_t n_;
  DeviceArray<float> spots_, strikes_, years_, prices_;
};

}  // namespace

std::unique_ptr<Peer> make_black_scholes(std::int64_t n) { return std::make_unique<BlackScholes>(n); }

}  // namespace bench::cuda
