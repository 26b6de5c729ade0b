#include <algorithm>
#include <array>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

constexpr std::int64_t kRows = 8, kColumns = 16, kDepth = 256;

/// Adds to c the product of kRows rows of a and kColumns columns of b, over `depth` elements. All rows are `stride`
/// elements apart. The sums stay in registers.
void multiply_tile(const double* a, const double* b, double* c, std::int64_t depth, std::int64_t stride) {
  using Lanes [[gnu::vector_size(64), gnu::aligned(8), gnu::may_alias]] = double;
  struct Row {
    Lanes first, second;
  };
  std::array<Row, kRows> sums{};
  for (std::int64_t k = 0; k < depth; ++k) {
    const auto* row = reinterpret_cast<const Lanes*>(b + k * stride);
    const Lanes first = row[0], second = row[1];
    for (std::int64_t i = 0; i < kRows; ++i) {
      const double factor = a[i * stride + k];
      sums[i].first += factor * first;
      sums[i].second += factor * second;
    }
  }
  for (std::int64_t i = 0; i < kRows; ++i) {
    auto* row = reinterpret_cast<Lanes*>(c + i * stride);
    row[0] += sums[i].first;
    row[1] += sums[i].second;
  }
}

}  // namespace
}  // namespace program_peers

// Tiles of 8 by 16 in registers; a strip of 256 rows of b in a cache. Matrices are padded with zeros to whole tiles.
PROGRAM_PEER(matrix_product) {
  const std::int64_t n = run.n(), stride = (n + kColumns - 1) / kColumns * kColumns;
  const auto matrix = [&](std::int64_t first) {
    Buffer<double> m(stride * stride);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) m[i * stride + j] = unit((first + i) * n + j);
    return m;
  };
  const Buffer<double> a = matrix(0), b = matrix(n), c(stride * stride);
  run.time([&] {
    run.team().for_chunks(stride, 4 * kRows, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      std::fill(c.begin() + begin * stride, c.begin() + end * stride, 0.0);
      for (std::int64_t k = 0; k < n; k += kDepth)
        for (std::int64_t j = 0; j < stride; j += kColumns)
          for (std::int64_t i = begin; i < end; i += kRows)
            multiply_tile(a.data() + i * stride + k, b.data() + k * stride + j, c.data() + i * stride + j,
                          std::min(kDepth, n - k), stride);
    });
  });
  double total = 0;
  for (const double x : c) total += x;
  run.result(total, c[n / 2 * stride + n / 3]);
  run.cost(24.0 * n * n, 2.0 * n * n * n);
  run.report();
}
