#include <algorithm>

#include "../frame/peer_run.h"

// Computes the table by diagonals, of which three are kept. Entry i of diagonal d belongs to the first i letters of a
// and d - i letters of b. Sequence b is reversed, so that all reads are forwards.
PROGRAM_PEER(common_subsequence) {
  const std::int64_t n = run.n();
  const Buffer<std::int32_t> a(n, [](std::int64_t i) { return below(4, i); });
  const Buffer<std::int32_t> b(n, [&](std::int64_t i) { return below(4, 2 * n - 1 - i); });
  const Buffer<std::int32_t> first(n + 2), second(n + 2), third(n + 2);
  std::int32_t length = 0;
  run.time([&] {
    std::int32_t *before = first.data(), *last = second.data(), *next = third.data();
    std::fill(before, before + n + 2, 0);
    std::fill(last, last + n + 2, 0);
    for (std::int64_t d = 2; d <= 2 * n; ++d) {
      const std::int64_t low = std::max<std::int64_t>(1, d - n), high = std::min(d - 1, n);
      const std::int32_t *letters = a.data() - 1, *others = b.data() + n - d;
#pragma GCC ivdep
      for (std::int64_t i = low; i <= high; ++i) {
        const std::int32_t longer = std::max(last[i - 1], last[i]);
        next[i] = letters[i] == others[i] ? before[i - 1] + 1 : longer;
      }
      next[0] = 0;
      if (d <= n) next[d] = 0;
      std::swap(before, last);
      std::swap(last, next);
    }
    length = last[n];
  });
  run.result(length);
  // All data stay in a cache. Three operations per entry, on sixteen ints at a time, which count as eight floats.
  run.cost(8.0 * n, 1.5 * n * n);
  run.report();
}
