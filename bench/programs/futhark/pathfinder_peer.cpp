#include <algorithm>
#include <numeric>

#include "../frame/peer_run.h"

// Goes from one row of costs to another and back.
PROGRAM_PEER(pathfinder) {
  constexpr std::int64_t kRows = 100;
  const std::int64_t n = run.n();
  const Buffer<std::int32_t> grid(kRows * n, [](std::int64_t e) { return below(10, e); });
  const Buffer<std::int32_t> odd(n), even(n);
  const std::int32_t* costs = nullptr;
  run.time([&] {
    costs = grid.data();
    for (std::int64_t i = 1; i < kRows; ++i) {
      const std::int32_t* const row = grid.data() + i * n;
      std::int32_t* const next = i % 2 == 0 ? even.data() : odd.data();
      run.team().for_chunks(n, 65536, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
        const auto at_edge = [&](std::int64_t j) {
          next[j] = row[j] + *std::min_element(costs + std::max<std::int64_t>(j - 1, 0), costs + std::min(j + 2, n));
        };
        if (begin == 0) at_edge(0);
#pragma GCC ivdep
        for (std::int64_t j = std::max<std::int64_t>(begin, 1); j < std::min(end, n - 1); ++j)
          next[j] = row[j] + std::min(costs[j], std::min(costs[j - 1], costs[j + 1]));
        if (end == n) at_edge(n - 1);
      });
      costs = next;
    }
  });
  run.result(*std::min_element(costs, costs + n), *std::max_element(costs, costs + n),
             std::accumulate(costs, costs + n, std::int32_t(0)));
  run.cost(kRows * 12.0 * n, kRows * 1.5 * n);
  run.report();
}
