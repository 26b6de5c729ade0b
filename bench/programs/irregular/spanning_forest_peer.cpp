#include <algorithm>
#include <vector>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

struct Edge {
  std::int32_t weight, u, v;
};

}  // namespace
}  // namespace program_peers

// Kruskal's method: the lightest edges first, unless their ends are connected already.
PROGRAM_PEER(spanning_forest) {
  const auto n = std::int32_t(run.n());
  std::vector<Edge> edges;
  for (std::int32_t i = 0; i < 4 * n; ++i) {
    const std::int32_t u = below(n, 2 * i), v = below(n, 2 * i + 1);
    if (u != v) edges.push_back({scramble(i), u, v});
  }
  std::vector<std::int32_t> parents(n);
  const auto root_of = [&](std::int32_t v) {
    while (parents[v] != v) v = parents[v] = parents[parents[v]];
    return v;
  };
  std::vector<Edge> sorted;
  std::int64_t count = 0;
  std::uint32_t sum = 0;
  run.time([&] {
    sorted = edges;
    std::sort(sorted.begin(), sorted.end(), [](const Edge& a, const Edge& b) { return a.weight < b.weight; });
    for (std::int32_t v = 0; v < n; ++v) parents[v] = v;
    count = 0;
    sum = 0;
    for (const Edge& edge : sorted) {
      const std::int32_t u = root_of(edge.u), v = root_of(edge.v);
      if (u == v) continue;
      parents[u] = v;
      ++count;
      sum += std::uint32_t(edge.weight);
    }
  });
  run.result(count, std::int32_t(sum));
  // Bytes: the edges sorted in three passes, and read; the parents. Operations: the passes, and a search for each end.
  run.cost(12.0 * 7 * double(edges.size()) + 8.0 * n, 5.0 * double(edges.size()));
  run.report();
}
