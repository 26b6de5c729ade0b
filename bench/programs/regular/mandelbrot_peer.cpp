#include <array>

#include "../frame/peer_run.h"
#include "../frame/register_bytes.h"

namespace program_peers {
namespace {

/// Points that are computed at once, two registers of them, and most steps.
constexpr int kLanes = 2 * kRegisterBytes / 8, kMost = 100;

/// Counts the steps of kLanes points of a row, beginning with number j, until all have left the set.
void count_steps(std::int64_t j, double b, double h, std::int32_t* counts) {
  using Lanes = std::array<double, kLanes>;
  Lanes x{}, y{}, origin;
  std::array<std::int64_t, kLanes> steps{};
  for (int lane = 0; lane < kLanes; ++lane) origin[lane] = double(j + lane) * h - 1.75;
  for (int step = 0; step < kMost; ++step) {
    std::int64_t inside_any = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      const double xx = x[lane] * x[lane], yy = y[lane] * y[lane];
      const std::int64_t inside = xx + yy <= 4.0 && steps[lane] == step;
      const double next_y = 2.0 * x[lane] * y[lane] + b, next_x = xx - yy + origin[lane];
      // Points that have left keep their position.
      x[lane] = inside ? next_x : x[lane];
      y[lane] = inside ? next_y : y[lane];
      steps[lane] += inside;
      inside_any |= inside;
    }
    if (inside_any == 0) break;
  }
  for (int lane = 0; lane < kLanes; ++lane) counts[lane] = std::int32_t(steps[lane]);
}

}  // namespace
}  // namespace program_peers

// Computes two registers of points of a row at once.
PROGRAM_PEER(mandelbrot) {
  const std::int64_t n = run.n(), stride = (n + kLanes - 1) / kLanes * kLanes;
  const double h = 2.5 / double(n);
  const Buffer<std::int32_t> counts(n * stride);
  run.time([&] {
    run.team().for_chunks(n, 4, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        for (std::int64_t j = 0; j < n; j += kLanes)
          count_steps(j, double(i) * h - 1.25, h, counts.data() + i * stride + j);
    });
  });
  std::int64_t total = 0;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) total += counts[i * stride + j];
  run.result(total);
  run.cost(4.0 * n * n, 8.0 * double(total));
  run.report();
}
