#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

constexpr int kSize = 8;
struct Matrix8 {
  double at[kSize][kSize];
};

/// Gauss and Jordan's elimination in place: column k becomes a column of the inverse in step k. Exchanges of rows are
/// exchanges of columns of the inverse.
Matrix8 inverse_of(Matrix8 m) {
  std::array<int, kSize> columns;
  std::iota(columns.begin(), columns.end(), 0);
  for (int k = 0; k < kSize; ++k) {
    int p = k;
    for (int i = k + 1; i < kSize; ++i)
      if (std::abs(m.at[i][k]) > std::abs(m.at[p][k])) p = i;
    std::swap(columns[k], columns[p]);
    std::swap(m.at[k], m.at[p]);
    const double factor = 1.0 / m.at[k][k];
    double pivot[kSize];
    for (int j = 0; j < kSize; ++j) pivot[j] = (j == k ? 1.0 : m.at[k][j]) * factor;
    for (int i = 0; i < kSize; ++i) {
      const double multiple = m.at[i][k];
      for (int j = 0; j < kSize; ++j) m.at[i][j] = (j == k ? 0.0 : m.at[i][j]) - multiple * pivot[j];
    }
    std::copy_n(pivot, kSize, m.at[k]);
  }
  Matrix8 inverse;
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j) inverse.at[i][columns[j]] = m.at[i][j];
  return inverse;
}

}  // namespace
}  // namespace program_peers

PROGRAM_PEER(small_inverses) {
  constexpr int kEntries = kSize * kSize;
  const std::int64_t n = run.n();
  const Buffer<double> entries(n * kEntries, unit);
  const auto* matrices = reinterpret_cast<const Matrix8*>(entries.data());
  const Buffer<Matrix8> inverses(n);
  run.time([&] {
    run.team().for_chunks(n, 256, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t m = begin; m < end; ++m) inverses[m] = inverse_of(matrices[m]);
    });
  });
  double magnitudes = 0, corners = 0;
  for (const Matrix8& inverse : inverses) {
    for (const auto& row : inverse.at)
      for (const double x : row) magnitudes += std::abs(x);
    corners += inverse.at[0][kSize - 1];
  }
  run.result(magnitudes, corners);
  run.cost(16.0 * kEntries * n, 2.0 * kSize * kEntries * n);
  run.report();
}
