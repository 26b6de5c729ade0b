#include "../frame/peer_run.h"

namespace program_peers {
namespace {

std::int64_t row_length(std::int64_t i, std::int64_t mean, std::int64_t kind) {
  if (kind == 0) return mean;
  if (kind == 1) return 1 + below(std::int32_t(2 * mean - 1), i);
  return 1 + mean * 256 / (1 + below(2048, i));
}

}  // namespace
}  // namespace program_peers

// Compressed rows. Threads take about as many entries each.
PROGRAM_PEER(sparse_matrix) {
  const std::int64_t mean = run.argument(1), rows = std::max<std::int64_t>(1, run.n() / mean);
  const std::int64_t columns = run.argument(0) == 0 ? rows : run.argument(0);
  const Buffer<std::int32_t> starts(rows + 1);
  for (std::int64_t i = 0; i < rows; ++i)
    starts[i + 1] = starts[i] + std::int32_t(row_length(i, mean, run.argument(2)));
  const std::int64_t entries = starts[rows];
  const Buffer<std::int32_t> column(entries, [&](std::int64_t k) { return below(std::int32_t(columns), k); });
  const Buffer<double> value(entries, unit), v(columns, unit), product(rows);
  const std::int64_t grain = 1 << 15;
  run.time([&] {
    run.team().for_chunks(entries, grain, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      // The rows that begin in this share of the entries.
      std::int64_t row = std::lower_bound(starts.begin(), starts.end() - 1, std::int32_t(begin)) - starts.begin();
      for (; row < rows && starts[row] < end; ++row) {
        double sum = 0;
        for (std::int64_t k = starts[row]; k < starts[row + 1]; ++k) sum += value[k] * v[column[k]];
        product[row] = sum;
      }
    });
  });
  double total = 0;
  for (const double x : product) total += x;
  run.result(entries, total);
  run.cost(12.0 * entries + 12.0 * rows + 8.0 * columns, 2.0 * entries);
  run.report();
}
