#include <limits>
#include <utility>
#include <vector>

#include "../frame/graphs.h"
#include "../frame/peer_run.h"

namespace program_peers {
namespace {

constexpr std::int32_t kDecided = std::numeric_limits<std::int32_t>::max();

/// A circle with three random edges for each vertex, with each edge in the rows of both ends.
Graph circle_with_chords(std::int32_t n) {
  std::vector<std::pair<std::int32_t, std::int32_t>> edges;
  for (std::int32_t v = 0; v < n; ++v) edges.push_back({v, (v + 1) % n});
  for (std::int32_t i = 0; i < 3 * n; ++i) {
    const std::int32_t u = below(n, 2 * i), v = below(n, 2 * i + 1);
    if (u != v) edges.push_back({u, v});
  }
  Graph graph{Buffer<std::int32_t>(n + 1), Buffer<std::int32_t>(2 * edges.size())};
  for (const auto& [u, v] : edges) ++graph.starts[u], ++graph.starts[v];
  std::int32_t total = 0;
  for (std::int32_t& start : graph.starts) start = total += start;
  for (const auto& [u, v] : edges) graph.targets[--graph.starts[u]] = v, graph.targets[--graph.starts[v]] = u;
  return graph;
}

}  // namespace
}  // namespace program_peers

// Decided vertices have a number above all others, so that only numbers have to be compared. A list keeps the undecided
// vertices.
PROGRAM_PEER(independent_set) {
  const std::int64_t kind = run.argument(0);
  const Graph graph = kind == 1 ? circle_with_chords(std::int32_t(run.n())) : make_graph(run.n(), kind);
  const auto n = std::int32_t(graph.vertices());
  const Buffer<std::int32_t> draws(n), undecided(n), members(n);
  std::int64_t size = 0, steps = 0;
  run.time([&] {
    for (std::int32_t v = 0; v < n; ++v) undecided[v] = v;
    size = steps = 0;
    std::int64_t left = n;
    for (std::int32_t round = 0; left > 0; ++round) {
      for (std::int64_t i = 0; i < left; ++i) draws[undecided[i]] = scramble(round * n + undecided[i]);
      const std::int64_t before = size;
      for (std::int64_t i = 0; i < left; ++i) {
        const std::int32_t v = undecided[i], draw = draws[v], end = graph.starts[v + 1];
        std::int32_t e = graph.starts[v];
        while (e < end && draws[graph.targets[e]] > draw) ++e;
        steps += e - graph.starts[v];
        if (e == end) members[size++] = v;
      }
      for (std::int64_t i = before; i < size; ++i) {
        const std::int32_t v = members[i];
        draws[v] = kDecided;
        for (std::int32_t e = graph.starts[v]; e < graph.starts[v + 1]; ++e) draws[graph.targets[e]] = kDecided;
      }
      std::int64_t kept = 0;
      for (std::int64_t i = 0; i < left; ++i) {
        const std::int32_t v = undecided[i];
        undecided[kept] = v;
        kept += draws[v] != kDecided;
      }
      left = kept;
    }
  });
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < size; ++i) sum += std::uint32_t(members[i]);
  run.result(size, std::int32_t(sum));
  // Bytes: the graph once, the numbers drawn. Operations: comparisons with neighbours, and a number for each vertex.
  run.cost(4.0 * double(graph.targets.size()) + 20.0 * n, double(steps) + 10.0 * n);
  run.report();
}
