#include <algorithm>
#include <cmath>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

inline double square(double x) { return x * x; }

/// Rows of a grid: one and those above and below; at the edges of the grid the row itself.
struct Rows {
  Rows(const double* grid, std::int64_t n, std::int64_t i)
      : own(grid + i * n), north(i > 0 ? own - n : own), south(i < n - 1 ? own + n : own) {}
  const double *own, *north, *south;
};

inline double coefficient(double x, double north, double south, double west, double east, double q0) {
  const double inverse = 1.0 / x;
  const double gradient =
      (square(north - x) + square(south - x) + square(west - x) + square(east - x)) * inverse * inverse;
  const double laplacian = (north + south + west + east - 4.0 * x) * inverse;
  const double q = (0.5 * gradient - laplacian * laplacian / 16.0) / square(1.0 + 0.25 * laplacian);
  return std::max(0.0, std::min(1.0, 1.0 / (1.0 + (q - q0) / (q0 * (1.0 + q0)))));
}

void coefficient_row(const Rows& g, std::int64_t n, double q0, double* out) {
  const auto at = [&](std::int64_t j, std::int64_t west, std::int64_t east) {
    return coefficient(g.own[j], g.north[j], g.south[j], g.own[west], g.own[east], q0);
  };
  out[0] = at(0, 0, std::min<std::int64_t>(1, n - 1));
#pragma GCC ivdep
  for (std::int64_t j = 1; j < n - 1; ++j) out[j] = at(j, j - 1, j + 1);
  out[n - 1] = at(n - 1, std::max<std::int64_t>(n - 2, 0), n - 1);
}

void diffused_row(const Rows& g, const Rows& c, std::int64_t n, double* out) {
  const auto at = [&](std::int64_t j, std::int64_t west, std::int64_t east) {
    const double x = g.own[j], own = c.own[j];
    return x + 0.125 * (own * (g.north[j] - x) + c.south[j] * (g.south[j] - x) + own * (g.own[west] - x) +
                        c.own[east] * (g.own[east] - x));
  };
  out[0] = at(0, 0, std::min<std::int64_t>(1, n - 1));
#pragma GCC ivdep
  for (std::int64_t j = 1; j < n - 1; ++j) out[j] = at(j, j - 1, j + 1);
  out[n - 1] = at(n - 1, std::max<std::int64_t>(n - 2, 0), n - 1);
}

}  // namespace
}  // namespace program_peers

// Three passes a step: the sums, the coefficients, and the new picture in another buffer.
PROGRAM_PEER(srad) {
  constexpr int kSteps = 100;
  const std::int64_t n = run.n(), grain = std::max<std::int64_t>(1, 32768 / n), chunks = (n + grain - 1) / grain;
  const Buffer<double> picture(n * n, [](std::int64_t e) { return double(below(256, e)); });
  const Buffer<double> odd(n * n), even(n * n), coefficients(n * n), seen(n * n), sums(chunks), squares(chunks);
  const auto by_rows = [&](auto&& body) {
    run.team().for_chunks(n, grain, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) body(i);
    });
  };
  run.time([&] {
    double *from = even.data(), *to = odd.data();
    by_rows([&](std::int64_t i) {
      for (std::int64_t e = i * n; e < (i + 1) * n; ++e) from[e] = std::exp(picture[e] / 255.0);
    });
    for (int step = 0; step < kSteps; ++step) {
      run.team().for_chunks(n, grain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
        double sum = 0, sum_of_squares = 0;
        for (std::int64_t e = begin * n; e < end * n; ++e) sum += from[e], sum_of_squares += from[e] * from[e];
        sums[chunk] = sum, squares[chunk] = sum_of_squares;
      });
      double mean = 0, mean_square = 0;
      for (std::int64_t c = 0; c < chunks; ++c) mean += sums[c], mean_square += squares[c];
      mean /= double(n * n), mean_square /= double(n * n);
      const double q0 = (mean_square - mean * mean) / (mean * mean);
      by_rows([&](std::int64_t i) { coefficient_row(Rows(from, n, i), n, q0, coefficients.data() + i * n); });
      by_rows([&](std::int64_t i) { diffused_row(Rows(from, n, i), Rows(coefficients.data(), n, i), n, to + i * n); });
      std::swap(from, to);
    }
    by_rows([&](std::int64_t i) {
      for (std::int64_t e = i * n; e < (i + 1) * n; ++e) seen[e] = 255.0 * std::log(from[e]);
    });
  });
  double sum = 0, sum_of_squares = 0;
  for (const double x : seen) sum += x, sum_of_squares += x * x;
  run.result(sum, sum_of_squares, seen[n - 1]);
  run.cost(kSteps * 48.0 * n * n, kSteps * 70.0 * n * n);
  run.report();
}
