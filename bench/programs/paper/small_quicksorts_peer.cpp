#include <cmath>

#include "../frame/peer_run.h"
#include "sorting.h"

PROGRAM_PEER(small_quicksorts) {
  const std::int64_t n = run.n(), size = run.argument(0);
  const Buffer<std::int32_t> keys(n * size, [](std::int64_t i) { return scramble(i); });
  const Buffer<std::int32_t> sorted(n * size);
  auto in_turn = [](auto&& f, auto&& g) { f(), g(); };
  run.time([&] {
    run.team().for_chunks(n, 1024, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      std::copy(keys.begin() + begin * size, keys.begin() + end * size, sorted.begin() + begin * size);
      for (std::int64_t k = begin; k < end; ++k) quicksort_in_place(sorted.data() + k * size, size, size, in_turn);
    });
  });
  std::uint32_t sum = 0;
  for (std::int64_t k = 0; k < n; ++k) sum += std::uint32_t(checksum(sorted.data() + k * size, size));
  run.result(std::int32_t(sum));
  run.cost(8.0 * n * size, n * size * std::log2(double(size)));
  run.report();
}
