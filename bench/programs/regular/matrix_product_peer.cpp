#include <algorithm>
#include <array>

#include "../frame/peer_run.h"
#include "../frame/register_bytes.h"

namespace program_peers {
namespace {

using Lanes [[gnu::vector_size(kRegisterBytes), gnu::aligned(8), gnu::may_alias]] = double;
constexpr std::int64_t kLanes = kRegisterBytes / 8;
/// Rows and columns of a tile, and the registers of a row: all sums take three quarters of the registers.
constexpr std::int64_t kRows = kRegisterBytes == 64 ? 8 : 4, kColumns = 3 * kLanes;
constexpr int kRegisters = 3;
/// Rows of b that a strip has, which stays in a cache.
constexpr std::int64_t kDepth = 256;

/// Adds to c the product of kRows rows of a and kColumns columns of b, over `depth` elements. All rows are `stride`
/// elements apart. The sums stay in registers.
void multiply_tile(const double* a, const double* b, double* c, std::int64_t depth, std::int64_t stride) {
  struct Row {
    Lanes lanes[kRegisters];
  };
  std::array<Row, kRows> sums{};
  for (std::int64_t k = 0; k < depth; ++k) {
    const auto* row = reinterpret_cast<const Lanes*>(b + k * stride);
    const Row columns = {row[0], row[1], row[2]};
    for (std::size_t i = 0; i < kRows; ++i) {
      const double factor = a[static_cast<std::int64_t>(i) * stride + k];
      for (int j = 0; j < kRegisters; ++j) sums[i].lanes[j] += factor * columns.lanes[j];
    }
  }
  for (std::size_t i = 0; i < kRows; ++i) {
    auto* row = reinterpret_cast<Lanes*>(c + static_cast<std::int64_t>(i) * stride);
    for (int j = 0; j < kRegisters; ++j) row[j] += sums[i].lanes[j];
  }
}

}  // namespace
}  // namespace program_peers

// Tiles in registers; a strip of rows of b in a cache. Matrices are padded with zeros to whole tiles.
PROGRAM_PEER(matrix_product) {
  const std::int64_t n = run.n(), stride = (n + kColumns - 1) / kColumns * kColumns,
                     rows = (n + kRows - 1) / kRows * kRows;
  const auto matrix = [&](std::int64_t first) {
    Buffer<double> m(std::max(rows, stride) * stride);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) m[i * stride + j] = unit((first + i) * n + j);
    return m;
  };
  const Buffer<double> a = matrix(0), b = matrix(n), c(rows * stride);
  run.time([&] {
    run.team().for_chunks(rows, 4 * kRows, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
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
