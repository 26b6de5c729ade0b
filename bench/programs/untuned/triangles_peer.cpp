#include <algorithm>
#include <vector>

#include "../frame/peer_run.h"
#include "../frame/ragged_rows.h"

namespace program_peers {
namespace {

std::vector<std::int32_t> neighbours_of(std::int64_t v, std::int64_t n) {
  std::vector<std::int32_t> neighbours;
  for (std::int64_t w = v + 1; w < std::min(n, v + 2 + 4 * below(24, v)); ++w)
    if (below(4, 97 * v + w) == 0) neighbours.push_back(std::int32_t(w));
  return neighbours;
}

}  // namespace
}  // namespace program_peers

// Marks the neighbours of a vertex, and counts the marked ones among the neighbours of its neighbours.
PROGRAM_PEER(triangles) {
  const std::int64_t n = run.n(), threads = run.team().threads(), grain = (n + threads - 1) / threads;
  const RaggedRows<std::int32_t> graph(
      n, [&](std::int64_t v) { return neighbours_of(v, n).size(); },
      [&](std::int64_t v, std::int32_t j) { return neighbours_of(v, n)[j]; });
  const Buffer<std::uint8_t> marks(threads * n);
  const Buffer<std::int32_t> counts(n);
  run.time([&] {
    run.team().for_chunks(n, grain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
      std::uint8_t* marked = marks.data() + chunk * n;
      for (std::int64_t u = begin; u < end; ++u) {
        for (const std::int32_t v : graph[u]) marked[v] = 1;
        std::int32_t count = 0;
        for (const std::int32_t v : graph[u])
          for (const std::int32_t w : graph[v]) count += marked[w];
        counts[u] = count;
        for (const std::int32_t v : graph[u]) marked[v] = 0;
      }
    });
  });
  std::int64_t sum = 0, steps = 0;
  for (std::int64_t u = 0; u < n; ++u) {
    sum += counts[u];
    for (const std::int32_t v : graph[u]) steps += std::int64_t(graph[v].size());
  }
  run.result(sum, *std::max_element(counts.begin(), counts.end()));
  // Operations: a sum for each path of two edges.
  run.cost(4.0 * double(graph.elements.size()) + 8.0 * n, double(steps));
  run.report();
}
