#include <algorithm>
#include <cmath>
#include <vector>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

constexpr std::int64_t kInBox = 100;

/// Particles by components.
struct Particles {
  std::vector<double> x, y, z, charge;

  void add(double its_x, double its_y, double its_z, double its_charge) {
    x.push_back(its_x), y.push_back(its_y), z.push_back(its_z), charge.push_back(its_charge);
  }
};

}  // namespace
}  // namespace program_peers

// Copies the particles around a box behind each other; the compiler vectorises over them.
PROGRAM_PEER(lava_md) {
  const std::int64_t n = run.n(), boxes = n * n * n, particles = boxes * kInBox;
  const auto number = [](std::int64_t p, int k) { return unit(4 * p + k); };
  const auto column = [](std::int64_t p) { return p / kInBox; };
  const Buffer<double> xs(particles, [&](std::int64_t p) { return double(column(p) % n) + number(p, 0); }),
      ys(particles, [&](std::int64_t p) { return double(column(p) / n % n) + number(p, 1); }),
      zs(particles, [&](std::int64_t p) { return double(column(p) / (n * n)) + number(p, 2); }),
      charges(particles, [&](std::int64_t p) { return number(p, 3); });
  const Buffer<double> potentials(particles), fx(particles), fy(particles), fz(particles);
  double pairs = 0;
  for (std::int64_t b = 0; b < boxes; ++b) {
    const auto near = [n](std::int64_t i) { return double(std::min(n, i + 2) - std::max<std::int64_t>(0, i - 1)); };
    pairs += kInBox * kInBox * near(b % n) * near(b / n % n) * near(b / (n * n));
  }
  run.time([&] {
    run.team().for_chunks(boxes, 1, [&](std::int64_t b, std::int64_t, std::int64_t) {
      const std::int64_t i = b % n, j = b / n % n, k = b / (n * n);
      Particles others;
      for (std::int64_t z = std::max<std::int64_t>(0, k - 1); z < std::min(n, k + 2); ++z)
        for (std::int64_t y = std::max<std::int64_t>(0, j - 1); y < std::min(n, j + 2); ++y)
          for (std::int64_t x = std::max<std::int64_t>(0, i - 1); x < std::min(n, i + 2); ++x)
            for (std::int64_t p = 0; p < kInBox; ++p) {
              const std::int64_t q = ((z * n + y) * n + x) * kInBox + p;
              others.add(xs[q], ys[q], zs[q], charges[q]);
            }
      for (std::int64_t p = b * kInBox; p < (b + 1) * kInBox; ++p) {
        const double x = xs[p], y = ys[p], z = zs[p];
        double potential = 0, sum_x = 0, sum_y = 0, sum_z = 0;
        for (std::size_t o = 0; o < others.x.size(); ++o) {
          const double dx = x - others.x[o], dy = y - others.y[o], dz = z - others.z[o];
          const double strength = others.charge[o] * std::exp(-0.5 * (dx * dx + dy * dy + dz * dz));
          potential += strength;
          sum_x += 2.0 * strength * dx;
          sum_y += 2.0 * strength * dy;
          sum_z += 2.0 * strength * dz;
        }
        potentials[p] = potential, fx[p] = sum_x, fy[p] = sum_y, fz[p] = sum_z;
      }
    });
  });
  double potential = 0, forces = 0;
  for (std::int64_t p = 0; p < particles; ++p)
    potential += potentials[p], forces += std::fabs(fx[p]) + std::fabs(fy[p]) + std::fabs(fz[p]);
  run.result(potential, forces);
  // exp counts 36 operations.
  run.cost(64.0 * particles, pairs * (36.0 + 18.0));
  run.report();
}
