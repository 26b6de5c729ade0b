#include <algorithm>
#include <numeric>
#include <vector>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

/// The parent of each vertex; the root is its own parent. Vertices are numbered at random.
std::vector<std::int32_t> make_tree(std::int32_t n) {
  std::vector<std::int32_t> order(n), numbers(n), parents(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [](std::int32_t a, std::int32_t b) { return scramble(a) < scramble(b); });
  for (std::int32_t i = 0; i < n; ++i) numbers[order[i]] = i;
  for (std::int32_t i = 0; i < n; ++i) parents[numbers[i]] = numbers[below(std::max(1, i), n + i)];
  return parents;
}

}  // namespace
}  // namespace program_peers

// Visits each vertex after all of its children to add its sum to that of its parent, and in the opposite order to take
// the depth of its parent.
PROGRAM_PEER(subtree_sums) {
  const auto n = std::int32_t(run.n());
  const std::vector<std::int32_t> made = make_tree(n);
  const Buffer<std::int32_t> parents(n, [&](std::int64_t v) { return made[v]; });
  const Buffer<std::int32_t> weights(n, [](std::int64_t v) { return below(1000, v); });
  const Buffer<std::int32_t> children(n), order(n), sums(n), depths(n);
  run.time([&] {
    std::copy(weights.begin(), weights.end(), sums.begin());
    std::fill(children.begin(), children.end(), 0);
    for (std::int32_t v = 0; v < n; ++v) ++children[parents[v]];
    std::int64_t visited = 0;
    for (std::int32_t v = 0; v < n; ++v)
      if (children[v] == 0) order[visited++] = v;
    for (std::int64_t i = 0; i < visited; ++i) {
      const std::int32_t v = order[i], parent = parents[v];
      sums[parent] += sums[v];
      if (--children[parent] == 0) order[visited++] = parent;
    }
    // The root counts as a child of its own, and is not visited.
    for (std::int32_t v = 0; v < n; ++v)
      if (parents[v] == v) depths[v] = 0;
    for (std::int64_t i = visited - 1; i >= 0; --i) depths[order[i]] = depths[parents[order[i]]] + 1;
  });
  std::uint32_t sum = 0, weighted = 0;
  for (std::int32_t v = 0; v < n; ++v) {
    sum += std::uint32_t(depths[v]);
    weighted += std::uint32_t(depths[v]) * std::uint32_t(sums[v]);
  }
  run.result(*std::max_element(depths.begin(), depths.end()), std::int32_t(sum), std::int32_t(weighted));
  run.cost(24.0 * n, 4.0 * n);
  run.report();
}
