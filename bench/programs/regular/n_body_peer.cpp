#include <cmath>

#include "../frame/peer_run.h"

// Computes all pairs; the compiler vectorises over eight of them.
PROGRAM_PEER(n_body) {
  const std::int64_t n = run.n();
  const Buffer<double> xs(n, [](std::int64_t i) { return unit(3 * i); }),
      ys(n, [](std::int64_t i) { return unit(3 * i + 1); }), zs(n, [](std::int64_t i) { return unit(3 * i + 2); });
  const Buffer<double> fx(n), fy(n), fz(n);
  run.time([&] {
    run.team().for_chunks(n, 32, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        double sum_x = 0, sum_y = 0, sum_z = 0;
        for (std::int64_t j = 0; j < n; ++j) {
          const double dx = xs[j] - xs[i], dy = ys[j] - ys[i], dz = zs[j] - zs[i];
          const double square = dx * dx + dy * dy + dz * dz + 1e-3, strength = 1.0 / (square * std::sqrt(square));
          sum_x += strength * dx;
          sum_y += strength * dy;
          sum_z += strength * dz;
        }
        fx[i] = sum_x, fy[i] = sum_y, fz[i] = sum_z;
      }
    });
  });
  double total = 0;
  for (std::int64_t i = 0; i < n; ++i) total += std::fabs(fx[i]) + std::fabs(fy[i]) + std::fabs(fz[i]);
  run.result(total);
  run.cost(48.0 * n, 18.0 * n * n);
  run.report();
}
