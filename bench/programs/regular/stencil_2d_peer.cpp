#include <algorithm>

#include "../frame/peer_run.h"

// Computes row by row from one grid to another; the columns at the edges are treated separately.
PROGRAM_PEER(stencil_2d) {
  const std::int64_t n = run.n();
  const Buffer<double> grid(n * n, unit), even(n * n), odd(n * n);
  constexpr int kSteps = 10;
  run.time([&] {
    const double* from = grid.data();
    double* to = odd.data();
    for (int step = 0; step < kSteps; ++step) {
      run.team().for_chunks(
          n, std::max<std::int64_t>(1, 65536 / n), [&](std::int64_t, std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
              const double *row = from + i * n, *above = from + (i + n - 1) % n * n, *below_it = from + (i + 1) % n * n;
              double* out = to + i * n;
              for (std::int64_t j = 1; j < n - 1; ++j)
                out[j] = 0.25 * (above[j] + below_it[j] + row[j - 1] + row[j + 1]);
              out[0] = 0.25 * (above[0] + below_it[0] + row[n - 1] + row[1 % n]);
              out[n - 1] = 0.25 * (above[n - 1] + below_it[n - 1] + row[(2 * n - 2) % n] + row[0]);
            }
          });
      from = to;
      to = to == odd.data() ? even.data() : odd.data();
    }
  });
  double total = 0;
  for (const double x : even) total += x * x;
  run.result(total);
  run.cost(kSteps * 16.0 * n * n, kSteps * 4.0 * n * n);
  run.report();
}
