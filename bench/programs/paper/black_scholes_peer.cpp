#include <cmath>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

struct Prices {
  double call, put;
};

inline double normal(double x) {
  const double k = 1.0 / (1.0 + 0.2316419 * std::fabs(x));
  const double p = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
  const double tail = 0.3989422804014327 * std::exp(-0.5 * x * x) * p;
  return x < 0.0 ? tail : 1.0 - tail;
}

inline Prices prices(double spot, double strike, double years, double rate, double volatility) {
  const double spread = volatility * std::sqrt(years);
  const double d1 = (std::log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / spread;
  const double discounted = strike * std::exp(-rate * years);
  const double call = spot * normal(d1) - discounted * normal(d1 - spread);
  return {call, call - spot + discounted};
}

}  // namespace
}  // namespace program_peers

// Uses the compiler's vector versions of exp and log.
PROGRAM_PEER(black_scholes) {
  const std::int64_t n = run.n();
  const Buffer<double> spots(n, [](std::int64_t i) { return 5.0 + 25.0 * unit(i); });
  const Buffer<double> strikes(n, [&](std::int64_t i) { return 1.0 + 99.0 * unit(n + i); });
  const Buffer<double> years(n, [&](std::int64_t i) { return 0.25 + 9.75 * unit(2 * n + i); });
  const Buffer<double> calls(n), puts(n);
  run.time([&] {
    run.team().for_chunks(n, 4096, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
#pragma GCC ivdep
      for (std::int64_t i = begin; i < end; ++i) {
        const Prices both = prices(spots[i], strikes[i], years[i], 0.02, 0.3);
        calls[i] = both.call;
        puts[i] = both.put;
      }
    });
  });
  double call_sum = 0, put_sum = 0;
  for (const double call : calls) call_sum += call;
  for (const double put : puts) put_sum += put;
  const Prices example = prices(42.0, 40.0, 0.5, 0.1, 0.2);
  run.result(std::lround(100.0 * example.call), std::lround(100.0 * example.put), call_sum, put_sum);
  // exp and log are polynomials of about twelve steps, with as many operations around them: 36 operations each.
  run.cost(40.0 * n, n * (4 * 36.0 + 60.0));
  run.report();
}
