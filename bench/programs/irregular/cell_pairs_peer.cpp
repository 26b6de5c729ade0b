#include <algorithm>
#include <cmath>

#include "../frame/peer_run.h"

// Sorts the points by cell, so that three neighbouring cells in a row of cells are one range of points.
PROGRAM_PEER(cell_pairs) {
  const std::int64_t n = run.n(), side = std::max<std::int64_t>(1, std::int64_t(std::sqrt(double(n / 3)) + 1e-9));
  const double distance = 1.0 / double(side);
  const Buffer<double> xs(n, [](std::int64_t i) { return unit(2 * i); }),
      ys(n, [](std::int64_t i) { return unit(2 * i + 1); });
  const Buffer<double> sorted_xs(n), sorted_ys(n);
  const Buffer<std::int32_t> starts(side * side + 1), cells(n);
  constexpr std::int64_t kRows = 16;
  std::vector<std::int64_t> counts(std::size_t(side / kRows + 1));
  std::int64_t pairs = 0;
  run.time([&] {
    std::fill(starts.begin(), starts.end(), 0);
    for (std::int64_t i = 0; i < n; ++i) {
      cells[i] = std::int32_t(xs[i] * double(side)) * std::int32_t(side) + std::int32_t(ys[i] * double(side));
      ++starts[cells[i]];
    }
    std::int32_t total = 0;
    for (std::int64_t c = 0; c <= side * side; ++c) total += std::exchange(starts[c], total);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int32_t place = starts[cells[i]]++;
      sorted_xs[place] = xs[i];
      sorted_ys[place] = ys[i];
    }
    // starts[c] is now the end of cell c.
    const auto start_of = [&](std::int64_t cell) { return cell == 0 ? 0 : starts[cell - 1]; };
    run.team().for_chunks(side, kRows, [&](std::int64_t chunk, std::int64_t first_row, std::int64_t last_row) {
      std::int64_t count = 0;
      for (std::int64_t i = first_row; i < last_row; ++i)
        for (std::int64_t j = 0; j < side; ++j) {
          const std::int64_t low = std::max<std::int64_t>(j - 1, 0), high = std::min(j + 1, side - 1);
          for (std::int64_t a = std::max<std::int64_t>(i - 1, 0); a <= std::min(i + 1, side - 1); ++a) {
            const std::int64_t begin = start_of(a * side + low), end = starts[a * side + high];
            for (std::int64_t p = start_of(i * side + j); p < starts[i * side + j]; ++p)
              for (std::int64_t q = begin; q < end; ++q) {
                const double dx = sorted_xs[p] - sorted_xs[q], dy = sorted_ys[p] - sorted_ys[q];
                count += dx * dx + dy * dy < distance * distance;
              }
          }
        }
      counts[chunk] = count;
    });
    pairs = 0;
    for (const std::int64_t count : counts) pairs += count;
  });
  run.result(pairs);
  // Bytes: points read, sorted and read again, cells written and read twice. Operations: each point is compared with
  // the points of nine cells, three per cell.
  run.cost(n * (16.0 + 16 + 16 + 3 * 4) + side * side * 12.0, n * 27 * 6.0);
  run.report();
}
