#include "../frame/peer_run.h"
#include "lists.h"

// No element has to move.
PROGRAM_PEER(split_merge) {
  const std::int64_t n = run.n();
  const Buffer<std::int32_t> s(n, [](std::int64_t i) { return below(1000000, i); }), changed(n);
  run.time([&] {
    run.team().for_chunks(n, 1 << 15, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int32_t x = s[i], third = x / 3;
        changed[i] = 3 * third == x ? third : x + 1;
      }
    });
  });
  run.result(sum_by_place(changed.data(), n));
  run.cost(8.0 * n, 6.0 * n / 2);
  run.report();
}
