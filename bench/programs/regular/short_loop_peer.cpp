#include <algorithm>

#include "../frame/peer_run.h"

// Uses one thread, since the vectors are too short for more.
PROGRAM_PEER(short_loop) {
  const std::int64_t n = run.n();
  const Buffer<double> w(n, unit), s(n);
  constexpr int kSteps = 1000;
  run.time([&] {
    std::copy(w.begin(), w.end(), s.begin());
    for (int step = 0; step < kSteps; ++step) {
      double sum = 0;
      for (std::int64_t i = 0; i < n; ++i) sum += s[i] * w[i];
      const double factor = sum / double(n) * 0.25;
      for (std::int64_t i = 0; i < n; ++i) s[i] = s[i] * 0.5 + w[i] * 0.25 - s[i] * w[i] * factor;
    }
  });
  double total = 0;
  for (const double x : s) total += x;
  run.result(total);
  run.cost(kSteps * 40.0 * n, kSteps * 8.0 * n);
  run.report();
}
