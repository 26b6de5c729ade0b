#include <algorithm>
#include <vector>

#include "../frame/graphs.h"
#include "../frame/peer_run.h"

namespace program_peers {
namespace {

struct WeightedEdge {
  std::int32_t weight, u, v;
};

/// Four times as many random edges as vertices, or those of a graph of graphs.nesl.
std::vector<WeightedEdge> make_edges(std::int32_t n, std::int64_t kind) {
  std::vector<WeightedEdge> edges;
  if (kind == 1) {
    for (std::int32_t i = 0; i < 4 * n; ++i) {
      const std::int32_t u = below(n, 2 * i), v = below(n, 2 * i + 1);
      if (u != v) edges.push_back({scramble(i), u, v});
    }
  } else {
    for (const auto& [u, v] : upward_edges(n, kind)) edges.push_back({scramble(std::int32_t(edges.size())), u, v});
  }
  return edges;
}

}  // namespace
}  // namespace program_peers

// Kruskal's method: the lightest edges first, unless their ends are connected already.
PROGRAM_PEER(spanning_forest) {
  const auto n = std::int32_t(run.n());
  const std::vector<WeightedEdge> edges = make_edges(n, run.argument(0));
  std::vector<std::int32_t> parents(n);
  const auto root_of = [&](std::int32_t v) {
    while (parents[v] != v) v = parents[v] = parents[parents[v]];
    return v;
  };
  std::vector<WeightedEdge> sorted;
  std::int64_t count = 0;
  std::uint32_t sum = 0;
  run.time([&] {
    sorted = edges;
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.weight < b.weight; });
    for (std::int32_t v = 0; v < n; ++v) parents[v] = v;
    count = 0;
    sum = 0;
    for (const WeightedEdge& edge : sorted) {
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
