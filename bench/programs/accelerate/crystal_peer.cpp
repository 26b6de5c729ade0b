#include <array>
#include <cmath>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

constexpr int kDegree = 50;
constexpr double kPi = 3.14159265358979323846;

}  // namespace
}  // namespace program_peers

// The directions of the waves are computed once; the compiler vectorises over the points of a row.
PROGRAM_PEER(crystal) {
  constexpr double kPhase = 0.5;
  const std::int64_t n = run.n();
  const Buffer<double> gray(n * n);
  run.time([&] {
    std::array<double, kDegree> cosines, sines;
    for (int k = 0; k < kDegree; ++k) {
      cosines[k] = std::cos(kPi * double(k) / kDegree);
      sines[k] = std::sin(kPi * double(k) / kDegree);
    }
    const auto place = [n](std::int64_t i) { return 200.0 * (double(i) / double(n) - 0.5); };
    run.team().for_chunks(n, 1, [&](std::int64_t i, std::int64_t, std::int64_t) {
      double* const row = gray.data() + i * n;
      for (int k = 0; k < kDegree; ++k) {
        const double offset = sines[k] * place(i) + kPhase, step = 200.0 * cosines[k] / double(n),
                     start = offset - 100.0 * cosines[k];
        for (std::int64_t j = 0; j < n; ++j)
          row[j] = (k == 0 ? 0.0 : row[j]) + 0.5 * (1.0 + std::cos(start + step * double(j)));
      }
      for (std::int64_t j = 0; j < n; ++j) {
        const auto whole = std::int32_t(row[j]);
        const double part = row[j] - double(whole);
        row[j] = whole % 2 != 0 ? 1.0 - part : part;
      }
    });
  });
  double sum = 0, squares = 0;
  for (const double x : gray) sum += x, squares += x * x;
  run.result(sum, squares, gray[0]);
  // A cosine counts 36 operations.
  run.cost(8.0 * n * n, double(kDegree) * n * n * 42.0);
  run.report();
}
