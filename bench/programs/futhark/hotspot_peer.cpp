#include <algorithm>
#include <numeric>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

struct Chip {
  double step, across, up;
};

Chip chip_of(std::int64_t n) {
  const double side = 0.016 / double(n), thickness = 0.0005, conductivity = 100.0, heat = 1.75e6;
  const double capacity = 0.5 * heat * thickness * side * side, step = 0.001 * 0.5 * thickness * heat / 3.0e6;
  return {step / capacity, 2.0 * conductivity * thickness, conductivity * side * side / thickness};
}

struct Row {
  const double *own, *north, *south, *power;
};

/// The next temperature of a cell with these neighbours in its row.
inline double warmer(const Row& row, std::int64_t j, double west, double east, const Chip& chip) {
  const double t = row.own[j];
  return t + chip.step * (row.power[j] + (row.north[j] + row.south[j] - 2.0 * t + west + east - 2.0 * t) * chip.across +
                          (80.0 - t) * chip.up);
}

}  // namespace
}  // namespace program_peers

// Goes from one grid to another and back; the first and last column are computed alone.
PROGRAM_PEER(hotspot) {
  const std::int64_t n = run.n(), steps = run.argument(0);
  const Buffer<double> temperatures(n * n, [](std::int64_t e) { return 320.0 + 20.0 * unit(e); });
  const Buffer<double> powers(n * n, [&](std::int64_t e) { return 0.01 * unit(n * n + e); });
  const Buffer<double> odd(n * n), even(n * n);
  const Chip chip = chip_of(n);
  const double* from = nullptr;
  run.time([&] {
    from = temperatures.data();
    for (std::int64_t step = 0; step < steps; ++step) {
      double* const to = step % 2 == 0 ? odd.data() : even.data();
      run.team().for_chunks(n, std::max<std::int64_t>(1, 65536 / n),
                            [&](std::int64_t, std::int64_t begin, std::int64_t end) {
                              for (std::int64_t i = begin; i < end; ++i) {
                                const Row row{from + i * n, from + std::max<std::int64_t>(i - 1, 0) * n,
                                              from + std::min(i + 1, n - 1) * n, powers.data() + i * n};
                                double* const out = to + i * n;
                                out[0] = warmer(row, 0, row.own[0], row.own[std::min<std::int64_t>(1, n - 1)], chip);
#pragma GCC ivdep
                                for (std::int64_t j = 1; j < n - 1; ++j)
                                  out[j] = warmer(row, j, row.own[j - 1], row.own[j + 1], chip);
                                if (n > 1) out[n - 1] = warmer(row, n - 1, row.own[n - 2], row.own[n - 1], chip);
                              }
                            });
      from = to;
    }
  });
  run.result(std::accumulate(from, from + n * n, 0.0), *std::max_element(from, from + n * n), from[n / 2 * n + n / 2]);
  run.cost(double(steps) * 24.0 * n * n, double(steps) * 14.0 * n * n);
  run.report();
}
