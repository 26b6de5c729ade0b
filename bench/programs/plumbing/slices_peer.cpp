#include <algorithm>

#include "../frame/peer_run.h"
#include "lists.h"

PROGRAM_PEER(slices) {
  const std::int64_t n = run.n();
  const Lists all(
      n, [](std::int64_t) { return 20; }, [](std::int64_t k, std::int32_t j) { return std::int32_t(20 * k + j); });
  const Lists parts(
      n, [](std::int64_t) { return 20; }, [](std::int64_t, std::int32_t) { return 0; });
  run.time([&] {
    run.team().for_chunks(n, 4096, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        const std::int32_t* from = all.elements.data() + all.starts[k];
        const std::int32_t size = all.starts[k + 1] - all.starts[k];
        std::int32_t* to = parts.elements.data() + parts.starts[k];
        to = std::copy_n(from, size / 2, to);
        to = std::copy_n(from + size - 5, 5, to);
        std::copy_n(from + 8, 5, to);
      }
    });
  });
  std::uint32_t sum = 0;
  for (std::int64_t k = 0; k < n; ++k) sum += std::uint32_t(sum_by_place(parts.elements.data() + parts.starts[k], 20));
  run.result(std::int32_t(sum));
  run.cost(n * (160.0 + 8), 20.0 * n);
  run.report();
}
