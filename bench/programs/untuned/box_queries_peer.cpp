#include <algorithm>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

struct Box {
  std::int32_t top, left, bottom, right;
};

Box random_box(std::int64_t i, std::int32_t n) {
  const std::int32_t top = below(n, 4 * i), left = below(n, 4 * i + 1);
  return {top, left, top + 1 + below(n - top, 4 * i + 2), left + 1 + below(n - left, 4 * i + 3)};
}

}  // namespace
}  // namespace program_peers

// One pass makes the table, whose first row and column are zero.
PROGRAM_PEER(box_queries) {
  const std::int64_t n = run.n(), side = n + 1, queries = 200 * n;
  const Buffer<std::int32_t> picture(n * n, [](std::int64_t e) { return below(256, e); });
  const Buffer<Box> boxes(queries, [&](std::int64_t i) { return random_box(i, std::int32_t(n)); });
  const Buffer<std::int32_t> table(side * side), sums(queries);
  run.time([&] {
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int32_t *row = picture.data() + i * n, *above = table.data() + i * side + 1;
      std::int32_t *out = table.data() + (i + 1) * side + 1, total = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        total += row[j];
        out[j] = above[j] + total;
      }
    }
    run.team().for_chunks(queries, 4096, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const Box box = boxes[i];
        const std::int32_t *top = table.data() + box.top * side, *bottom = table.data() + box.bottom * side;
        sums[i] = bottom[box.right] - top[box.right] - bottom[box.left] + top[box.left];
      }
    });
  });
  std::uint32_t sum = 0;
  for (const std::int32_t x : sums) sum += std::uint32_t(x);
  run.result(*std::max_element(sums.begin(), sums.end()), std::int32_t(sum));
  run.cost(4.0 * n * n + 4.0 * side * side + 36.0 * queries, 2.0 * n * n + 3.0 * queries);
  run.report();
}
