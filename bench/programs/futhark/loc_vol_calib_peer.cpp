#include <algorithm>
#include <array>
#include <cmath>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

constexpr int kX = 64, kY = 32, kSteps = 16;
/// A row of prices of the share for each volatility.
using Grid = std::array<std::array<double, kX>, kY>;

struct Axes {
  Axes() {
    const double root = std::sqrt(5.0);
    dx = 20.0 * 0.2 * 0.03 * root / 64.0, dy = 10.0 * 0.6 * root / 32.0;
    start = int(0.03 / dx);
    for (int i = 0; i < kX; ++i) xs[i] = double(i - start) * dx + 0.03;
    for (int j = 0; j < kY; ++j) ys[j] = double(j - kY / 2) * dy + std::log(0.2);
  }
  double dx, dy;
  std::array<double, kX> xs;
  std::array<double, kY> ys;
  int start;
};

/// The system along a row by Thomas's algorithm: diagonal inverse + 2 k and -k beside it, nothing beside it at the
/// ends.
void solve_row(std::array<double, kX>& row, const std::array<double, kX>& factors, double inverse) {
  std::array<double, kX> reciprocal;
  const auto k = [&](int i) { return i == 0 || i == kX - 1 ? 0.0 : factors[i]; };
  reciprocal[0] = 1.0 / inverse;
  for (int i = 1; i < kX; ++i) {
    const double factor = -k(i) * reciprocal[i - 1];
    reciprocal[i] = 1.0 / (inverse + 2.0 * k(i) + factor * k(i - 1));
    row[i] -= factor * row[i - 1];
  }
  row[kX - 1] *= reciprocal[kX - 1];
  for (int i = kX - 2; i >= 0; --i) row[i] = (row[i] + k(i) * row[i + 1]) * reciprocal[i];
}

/// The systems along all columns, which have the same matrix, so that rows are added to rows.
void solve_columns(Grid& values, double factor_of_all, double inverse) {
  std::array<double, kY> reciprocal;
  const auto k = [&](int j) { return j == 0 || j == kY - 1 ? 0.0 : factor_of_all; };
  reciprocal[0] = 1.0 / inverse;
  for (int j = 1; j < kY; ++j) {
    const double factor = -k(j) * reciprocal[j - 1];
    reciprocal[j] = 1.0 / (inverse + 2.0 * k(j) + factor * k(j - 1));
    for (int i = 0; i < kX; ++i) values[j][i] -= factor * values[j - 1][i];
  }
  for (int i = 0; i < kX; ++i) values[kY - 1][i] *= reciprocal[kY - 1];
  for (int j = kY - 2; j >= 0; --j)
    for (int i = 0; i < kX; ++i) values[j][i] = (values[j][i] + k(j) * values[j + 1][i]) * reciprocal[j];
}

void back_in_time(Grid& values, double time, double inverse, const Axes& axes) {
  Grid factors, down, both;
  const double y_factor = 0.25 * 0.36 / (axes.dy * axes.dy);
  for (int j = 0; j < kY; ++j)
    for (int i = 0; i < kX; ++i)
      factors[j][i] =
          0.25 * std::exp(2.0 * (0.5 * std::log(axes.xs[i]) + axes.ys[j] - 0.18 * time)) / (axes.dx * axes.dx);
  for (int j = 0; j < kY; ++j) {
    const auto& row = values[j];
    for (int i = 0; i < kX; ++i)
      down[j][i] = j == 0 || j == kY - 1 ? 0.0 : 2.0 * y_factor * (values[j - 1][i] - 2.0 * row[i] + values[j + 1][i]);
    for (int i = 0; i < kX; ++i) both[j][i] = inverse * row[i] + down[j][i];
    for (int i = 1; i < kX - 1; ++i) both[j][i] += factors[j][i] * (row[i - 1] - 2.0 * row[i] + row[i + 1]);
  }
  for (int j = 0; j < kY; ++j) {
    solve_row(both[j], factors[j], inverse);
    for (int i = 0; i < kX; ++i) values[j][i] = inverse * both[j][i] - 0.5 * down[j][i];
  }
  solve_columns(values, y_factor, inverse);
}

}  // namespace
}  // namespace program_peers

// One strike after the other, in a grid that fits into the cache.
PROGRAM_PEER(loc_vol_calib) {
  const std::int64_t n = run.n();
  const Axes axes;
  const Buffer<double> prices(n);
  run.time([&] {
    run.team().for_chunks(n, 1, [&](std::int64_t s, std::int64_t, std::int64_t) {
      const double strike = 0.001 * double(s + 1);
      Grid values;
      for (auto& row : values)
        for (int i = 0; i < kX; ++i) row[i] = std::max(axes.xs[i] - strike, 0.0);
      const auto time = [](int k) { return 5.0 * double(k) / double(kSteps); };
      for (int k = kSteps - 1; k >= 0; --k) back_in_time(values, time(k), 1.0 / (time(k + 1) - time(k)), axes);
      prices[s] = values[kY / 2][axes.start];
    });
  });
  double sum = 0;
  for (const double price : prices) sum += price;
  run.result(sum, prices[0], prices[n - 1]);
  // exp and log count 36 operations.
  run.cost(8.0 * n, double(n) * kSteps * kX * kY * (2 * 36.0 + 45.0));
  run.report();
}
