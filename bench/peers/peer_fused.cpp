#include <cmath>
#include <vector>

#include "peers/peers.h"
#include "peers/simd.h"

namespace peers {

double dot(Team& team, const double* a, const double* b, std::int64_t n) {
  std::vector<double> sums(static_cast<std::size_t>((n + kGrain - 1) / kGrain));
  team.for_chunks(n, kGrain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    double sum = 0;
    for (std::int64_t e = begin; e < end; ++e) sum += a[e] * b[e];
    sums[static_cast<std::size_t>(chunk)] = sum;
  });
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

void black_scholes(Team& team, const double* spot, const double* strike, const double* years, double* call,
                   std::int64_t n) {
  constexpr double kRate = 0.02, kVolatility = 0.3;
  // Abramowitz and Stegun 26.2.17.
  const auto normal = [](double x) {
    const double l = std::fabs(x), k = 1 / (1 + 0.2316419 * l);
    const double poly =
        k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    const double w = 0.39894228040143267794 * std::exp(-0.5 * l * l) * poly;
    return x < 0 ? w : 1 - w;
  };
  team.for_chunks(n, kGrain, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    for (std::int64_t e = begin; e < end; ++e) {
      const double spread = kVolatility * std::sqrt(years[e]);
      const double d1 = (std::log(spot[e] / strike[e]) + (kRate + 0.5 * kVolatility * kVolatility) * years[e]) / spread;
      call[e] = spot[e] * normal(d1) - strike[e] * std::exp(-kRate * years[e]) * normal(d1 - spread);
    }
  });
}

}  // namespace peers
