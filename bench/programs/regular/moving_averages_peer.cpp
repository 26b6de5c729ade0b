#include <algorithm>
#include <cmath>

#include "../frame/peer_run.h"

// Ten additions for each mean. With vector instructions this is less work than a running sum, whose steps depend on
// each other.
PROGRAM_PEER(moving_averages) {
  constexpr std::int64_t kLength = 100, kWidth = 10, kMeans = kLength - kWidth + 1;
  const std::int64_t n = run.n();
  const Buffer<double> series(n * kLength, unit), means(n * kMeans);
  run.time([&] {
    run.team().for_chunks(n, 256, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        const double* s = series.data() + k * kLength;
        double* out = means.data() + k * kMeans;
#pragma GCC ivdep
        for (std::int64_t i = 0; i < kMeans; ++i) {
          double sum = 0;
#pragma GCC unroll 10
          for (std::int64_t j = 0; j < kWidth; ++j) sum += s[i + j];
          out[i] = sum * (1.0 / kWidth);
        }
      }
    });
  });
  double total = 0;
  for (std::int64_t k = 0; k < n; ++k)
    total += *std::max_element(means.data() + k * kMeans, means.data() + (k + 1) * kMeans);
  run.result(n * kMeans, total);
  run.cost(8.0 * n * (kLength + kMeans), n * kMeans * 11.0);
  run.report();
}
