#include "../frame/peer_run.h"

namespace program_peers {
namespace {

using Cell = std::uint8_t;

/// The next generation of a row of n cells: first the sums of columns of three cells, then those of three columns.
/// `sums` has room for n + 2 cells.
void step_row(const Cell* above, const Cell* row, const Cell* under, std::int64_t n, Cell* sums, Cell* out) {
  // The sum of column j is at j + 1; the sums of the last and the first column are also at the ends.
#pragma GCC ivdep
  for (std::int64_t j = 0; j < n; ++j) sums[j + 1] = Cell(above[j] + row[j] + under[j]);
  sums[0] = sums[n];
  sums[n + 1] = sums[1];
#pragma GCC ivdep
  for (std::int64_t j = 0; j < n; ++j) {
    const auto nine = Cell(sums[j] + sums[j + 1] + sums[j + 2]);
    out[j] = Cell(nine == 3) | Cell((nine == 4) & row[j]);
  }
}

}  // namespace
}  // namespace program_peers

// A byte for each cell.
PROGRAM_PEER(life) {
  constexpr int kGenerations = 20;
  const std::int64_t n = run.n(), threads = run.team().threads(), grain = (n + threads - 1) / threads;
  const Buffer<Cell> board(n * n, [](std::int64_t e) { return Cell(below(3, e) == 0); });
  const Buffer<Cell> odd(n * n), even(n * n), sums(threads * (n + 2));
  run.time([&] {
    const Cell* from = board.data();
    Cell* to = odd.data();
    for (int generation = 0; generation < kGenerations; ++generation) {
      run.team().for_chunks(n, grain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
          step_row(from + (i == 0 ? n - 1 : i - 1) * n, from + i * n, from + (i == n - 1 ? 0 : i + 1) * n, n,
                   sums.data() + chunk * (n + 2), to + i * n);
      });
      from = to;
      to = to == odd.data() ? even.data() : odd.data();
    }
  });
  std::int64_t alive = 0, by_row = 0;
  for (std::int64_t e = 0; e < n * n; ++e) alive += even[e], by_row += even[e] * (e / n);
  run.result(alive, std::int32_t(by_row));
  // Eight operations per cell, on 64 bytes at a time, which count as eight floats.
  run.cost(kGenerations * 2.0 * n * n, kGenerations * 1.0 * n * n);
  run.report();
}
