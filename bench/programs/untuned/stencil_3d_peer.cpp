#include <algorithm>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

/// The next values of row (i, j) of a cube.
void step_row(const double* from, double* to, std::int64_t n, std::int64_t i, std::int64_t j) {
  const std::int64_t plane = n * n;
  const double* row = from + i * plane + j * n;
  double* out = to + i * plane + j * n;
  if (i == 0 || j == 0 || i == n - 1 || j == n - 1) {
    std::copy(row, row + n, out);
    return;
  }
  out[0] = row[0];
#pragma GCC ivdep
  for (std::int64_t k = 1; k < n - 1; ++k)
    out[k] = (row[k] + row[k - plane] + row[k + plane] + row[k - n] + row[k + n] + row[k - 1] + row[k + 1]) * (1.0 / 7);
  out[n - 1] = row[n - 1];
}

}  // namespace
}  // namespace program_peers

PROGRAM_PEER(stencil_3d) {
  constexpr int kSteps = 5;
  const std::int64_t n = run.n();
  const Buffer<double> cube(n * n * n, unit), odd(n * n * n), even(n * n * n);
  run.time([&] {
    const double* from = cube.data();
    double* to = odd.data();
    for (int step = 0; step < kSteps; ++step) {
      run.team().for_chunks(n, std::max<std::int64_t>(1, 65536 / (n * n)),
                            [&](std::int64_t, std::int64_t begin, std::int64_t end) {
                              for (std::int64_t i = begin; i < end; ++i)
                                for (std::int64_t j = 0; j < n; ++j) step_row(from, to, n, i, j);
                            });
      from = to;
      to = to == odd.data() ? even.data() : odd.data();
    }
  });
  double total = 0;
  for (const double x : odd) total += x * x;
  run.result(total);
  run.cost(kSteps * 16.0 * n * n * n, kSteps * 7.0 * n * n * n);
  run.report();
}
