#include <algorithm>
#include <utility>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

constexpr int kRelaxations = 20;

/// A square with zeros around it.
class Square {
 public:
  explicit Square(std::int64_t n) : width_(n + 2), places_(width_ * width_) {}
  template <class Element>
  Square(std::int64_t n, Element element) : Square(n) {
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) row(i)[j] = element(i * n + j);
  }

  std::int64_t width() const { return width_; }
  double* row(std::int64_t i) const { return places_.data() + (i + 1) * width_ + 1; }

 private:
  std::int64_t width_;
  Buffer<double> places_;
};

/// The phases of a step, with the squares that they share.
class Solver {
 public:
  Solver(peers::Team& team, std::int64_t n) : team_(team), n_(n), odd_(n), even_(n), sources_(n) {}

  /// Twenty of Jacobi's relaxations from `start`; the last one goes to `out`.
  void relax(const Square& start, const Square& right, double rate, double scale, const Square& out) {
    const double inverse = 1.0 / scale;
    const Square* from = &start;
    for (int k = 0; k < kRelaxations; ++k) {
      const Square& to = k == kRelaxations - 1 ? out : k % 2 == 0 ? odd_ : even_;
      by_rows([&](std::int64_t i) {
        const double *x = from->row(i), *north = x - from->width(), *south = x + from->width(), *r = right.row(i);
        double* const result = to.row(i);
#pragma GCC ivdep
        for (std::int64_t j = 0; j < n_; ++j)
          result[j] = (r[j] + rate * (north[j] + south[j] + x[j - 1] + x[j + 1])) * inverse;
      });
      from = &to;
    }
  }

  void diffuse(const Square& x, double rate, const Square& out) { relax(x, x, rate, 1.0 + 4.0 * rate, out); }

  void advect(const Square& g, const Square& us, const Square& vs, double dt, const Square& out) {
    const double last = double(n_ - 1);
    by_rows([&](std::int64_t i) {
      const double *u = us.row(i), *v = vs.row(i), *places = g.row(0);
      double* const result = out.row(i);
#pragma GCC ivdep
      for (std::int64_t j = 0; j < n_; ++j) {
        const double y = std::clamp(double(i) - dt * v[j], 0.0, last), x = std::clamp(double(j) - dt * u[j], 0.0, last);
        const auto top = std::min(std::int32_t(y), std::int32_t(n_ - 2)),
                   left = std::min(std::int32_t(x), std::int32_t(n_ - 2));
        const double down = y - double(top), right = x - double(left);
        const double* const corner = places + top * g.width() + left;
        const double* const under = corner + g.width();
        result[j] = (1.0 - down) * ((1.0 - right) * corner[0] + right * corner[1]) +
                    down * ((1.0 - right) * under[0] + right * under[1]);
      }
    });
  }

  /// Subtracts the gradient of a pressure, which `pressures` becomes.
  void project(const Square& us, const Square& vs, const Square& zeros, const Square& pressures) {
    by_rows([&](std::int64_t i) {
      const double *u = us.row(i), *north = vs.row(i - 1), *south = vs.row(i + 1);
      double* const source = sources_.row(i);
#pragma GCC ivdep
      for (std::int64_t j = 0; j < n_; ++j) source[j] = -0.5 * (u[j + 1] - u[j - 1] + south[j] - north[j]);
    });
    relax(zeros, sources_, 1.0, 4.0, pressures);
    by_rows([&](std::int64_t i) {
      const double *p = pressures.row(i), *north = pressures.row(i - 1), *south = pressures.row(i + 1);
      double *u = us.row(i), *v = vs.row(i);
#pragma GCC ivdep
      for (std::int64_t j = 0; j < n_; ++j) {
        u[j] -= 0.5 * (p[j + 1] - p[j - 1]);
        v[j] -= 0.5 * (south[j] - north[j]);
      }
    });
  }

 private:
  template <class Body>
  void by_rows(Body&& body) {
    team_.for_chunks(n_, std::max<std::int64_t>(1, 32768 / n_),
                     [&](std::int64_t, std::int64_t begin, std::int64_t end) {
                       for (std::int64_t i = begin; i < end; ++i) body(i);
                     });
  }

  peers::Team& team_;
  std::int64_t n_;
  Square odd_, even_, sources_;
};

}  // namespace
}  // namespace program_peers

PROGRAM_PEER(fluid) {
  const std::int64_t n = run.n();
  const Square us(n, [](std::int64_t e) { return 2.0 * unit(e) - 1.0; }),
      vs(n, [&](std::int64_t e) { return 2.0 * unit(n * n + e) - 1.0; }),
      densities(n, [&](std::int64_t e) { return unit(2 * n * n + e); });
  const Square zeros(n), pressures(n), spread_us(n), spread_vs(n), spread(n), new_us(n), new_vs(n), moved(n);
  Solver solver(run.team(), n);
  run.time([&] {
    solver.diffuse(us, 0.1, spread_us);
    solver.diffuse(vs, 0.1, spread_vs);
    solver.project(spread_us, spread_vs, zeros, pressures);
    solver.advect(spread_us, spread_us, spread_vs, 2.0, new_us);
    solver.advect(spread_vs, spread_us, spread_vs, 2.0, new_vs);
    solver.project(new_us, new_vs, zeros, pressures);
    solver.diffuse(densities, 0.2, spread);
    solver.advect(spread, new_us, new_vs, 2.0, moved);
  });
  const auto squares = [n](const Square& g) {
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) sum += g.row(i)[j] * g.row(i)[j];
    return sum;
  };
  run.result(squares(new_us), squares(new_vs), squares(moved));
  run.cost(5 * kRelaxations * 24.0 * n * n, 5 * kRelaxations * 6.0 * n * n);
  run.report();
}
