#include <algorithm>

#include "../frame/peer_run.h"

PROGRAM_PEER(stencil_if) {
  const std::int64_t n = run.n();
  const Buffer<double> s(n, unit), even(n), odd(n);
  constexpr int kSteps = 10;
  run.time([&] {
    const double* from = s.data();
    double* to = odd.data();
    for (int step = 0; step < kSteps; ++step) {
      run.team().for_chunks(n, 1 << 15, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
        const std::int64_t low = std::max<std::int64_t>(begin, 1), high = std::min(end, n - 1);
        for (std::int64_t i = low; i < high; ++i) to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3.0;
        if (begin == 0) to[0] = from[0];
        if (end == n) to[n - 1] = from[n - 1];
      });
      from = to;
      to = to == odd.data() ? even.data() : odd.data();
    }
  });
  double total = 0;
  for (const double x : even) total += x * x;
  run.result(total);
  run.cost(kSteps * 16.0 * n, kSteps * 3.0 * n);
  run.report();
}
