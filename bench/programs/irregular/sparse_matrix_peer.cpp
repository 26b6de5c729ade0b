#include <algorithm>
#include <utility>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

std::int64_t row_length(std::int64_t i, std::int64_t mean, std::int64_t kind) {
  if (kind == 0) return mean;
  if (kind == 1) return 1 + below(std::int32_t(2 * mean - 1), i);
  return 1 + mean * 256 / (1 + below(2048, i));
}

/// A matrix in compressed rows.
struct Matrix {
  Buffer<std::int32_t> starts, column;
  Buffer<double> value;
};

/// Multiplies short rows, for which vector instructions take longer to set up than to compute.
[[gnu::optimize("no-tree-vectorize")]] void multiply_short(const Matrix& matrix, const double* v, double* product,
                                                           std::int64_t row, std::int64_t end) {
  std::int32_t k = matrix.starts[row];
  for (; row < end; ++row) {
    double sum = 0;
    for (const std::int32_t stop = matrix.starts[row + 1]; k < stop; ++k) sum += matrix.value[k] * v[matrix.column[k]];
    product[row] = sum;
  }
}

void multiply_long(const Matrix& matrix, const double* v, double* product, std::int64_t row, std::int64_t end) {
  for (; row < end; ++row) {
    double sum = 0;
    for (std::int64_t k = matrix.starts[row]; k < matrix.starts[row + 1]; ++k)
      sum += matrix.value[k] * v[matrix.column[k]];
    product[row] = sum;
  }
}

}  // namespace
}  // namespace program_peers

// Divides the rows among the threads so that all have about the same number of entries.
PROGRAM_PEER(sparse_matrix) {
  const std::int64_t mean = run.argument(1), rows = std::max<std::int64_t>(1, run.n() / mean);
  const std::int64_t columns = run.argument(0) == 0 ? rows : run.argument(0);
  Buffer<std::int32_t> starts(rows + 1);
  for (std::int64_t i = 0; i < rows; ++i)
    starts[i + 1] = starts[i] + std::int32_t(row_length(i, mean, run.argument(2)));
  const std::int64_t entries = starts[rows];
  const Matrix matrix{std::move(starts),
                      Buffer<std::int32_t>(entries, [&](std::int64_t k) { return below(std::int32_t(columns), k); }),
                      Buffer<double>(entries, unit)};
  const Buffer<double> v(columns, unit), product(rows);
  run.time([&] {
    run.team().for_chunks(entries, 1 << 15, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      // The first row that begins in a thread's share of the entries.
      const auto row_from = [&](std::int64_t entry) {
        return std::lower_bound(matrix.starts.begin(), matrix.starts.end() - 1, std::int32_t(entry)) -
               matrix.starts.begin();
      };
      (entries < 32 * rows ? multiply_short : multiply_long)(matrix, v.data(), product.data(), row_from(begin),
                                                             row_from(end));
    });
  });
  double total = 0;
  for (const double x : product) total += x;
  run.result(entries, total);
  run.cost(12.0 * entries + 12.0 * rows + 8.0 * columns, 2.0 * entries);
  run.report();
}
