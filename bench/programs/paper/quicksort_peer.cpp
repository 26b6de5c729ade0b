#include <cmath>

#include "../frame/keys.h"
#include "../frame/peer_run.h"
#include "sorting.h"

// Quicksort of a copy of the keys.
PROGRAM_PEER(quicksort) {
  const std::int64_t n = run.n(), kind = run.argument(0);
  const Buffer<std::int32_t> keys(n, [&](std::int64_t i) { return key(i, n, kind); });
  const Buffer<std::int32_t> sorted(n);
  auto both = [&](auto&& f, auto&& g) { run.team().both(f, g); };
  run.time([&] {
    std::copy(keys.begin(), keys.end(), sorted.begin());
    quicksort_in_place(sorted.data(), n, 1 << 14, both);
  });
  run.result(sorted[0], sorted[n - 1], checksum(sorted.data(), n));
  // Bytes: one pass to copy, and one to read and write for each level of the recursion on more keys than a cache of 1
  // MiB holds. Operations: a comparison for each key and level.
  const double keys_in_cache = 1 << 18, levels = std::log2(double(distinct_keys(n, kind)));
  run.cost(8.0 * n * (1 + std::max(0.0, std::min(levels, std::log2(n / keys_in_cache)))), n * levels);
  run.report();
}
