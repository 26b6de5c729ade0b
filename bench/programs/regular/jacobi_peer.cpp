#include <algorithm>

#include "../frame/peer_run.h"

PROGRAM_PEER(jacobi) {
  const std::int64_t n = run.n();
  const Buffer<double> matrix(n * n, [&](std::int64_t e) { return e / n == e % n ? double(n) : unit(e); });
  const Buffer<double> b(n, [&](std::int64_t i) { return unit(n * n + i); }), even(n), odd(n);
  constexpr int kSteps = 10;
  run.time([&] {
    double *x = even.data(), *next = odd.data();
    std::fill(x, x + n, 0.0);
    for (int step = 0; step < kSteps; ++step) {
      run.team().for_chunks(n, std::max<std::int64_t>(1, 65536 / n),
                            [&](std::int64_t, std::int64_t begin, std::int64_t end) {
                              for (std::int64_t i = begin; i < end; ++i) {
                                const double* row = matrix.data() + i * n;
                                double sum = 0;
                                for (std::int64_t j = 0; j < n; ++j) sum += row[j] * x[j];
                                next[i] = (b[i] - (sum - row[i] * x[i])) / row[i];
                              }
                            });
      std::swap(x, next);
    }
  });
  double total = 0;
  for (const double x : even) total += x * x;
  run.result(even[0], total);
  run.cost(kSteps * 8.0 * n * n, kSteps * 2.0 * n * n);
  run.report();
}
