#include <algorithm>
#include <vector>

#include "../frame/graphs.h"
#include "../frame/peer_run.h"

namespace program_peers {
namespace {

/// The edges of a graph of graphs.nesl in random order.
std::vector<Edge> shuffled_edges(std::int64_t n, std::int64_t kind) {
  const std::vector<Edge> edges = upward_edges(n, kind);
  std::vector<std::int32_t> order(edges.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = std::int32_t(i);
  std::sort(order.begin(), order.end(), [](std::int32_t a, std::int32_t b) { return scramble(a) < scramble(b); });
  std::vector<Edge> shuffled;
  for (const std::int32_t i : order) shuffled.push_back(edges[std::size_t(i)]);
  return shuffled;
}

}  // namespace
}  // namespace program_peers

// Takes each edge whose ends are free, in order.
PROGRAM_PEER(maximal_matching) {
  const std::int64_t n = run.n();
  const std::vector<Edge> made = shuffled_edges(n, run.argument(0));
  const Buffer<Edge> edges(made.size(), [&](std::int64_t i) { return made[std::size_t(i)]; });
  const Buffer<std::uint8_t> taken(n);
  const Buffer<Edge> matched(n / 2);
  std::int64_t size = 0;
  run.time([&] {
    std::fill(taken.begin(), taken.end(), 0);
    size = 0;
    for (const Edge& edge : edges) {
      if (taken[edge.u] || taken[edge.v]) continue;
      taken[edge.u] = taken[edge.v] = 1;
      matched[size++] = edge;
    }
  });
  std::uint32_t firsts = 0, seconds = 0;
  for (std::int64_t i = 0; i < size; ++i) firsts += std::uint32_t(matched[i].u), seconds += std::uint32_t(matched[i].v);
  run.result(size, std::int32_t(firsts), std::int32_t(seconds));
  // Bytes: the edges, the flags written and read, the result. Operations: two tests for each edge.
  run.cost(8.0 * double(edges.size()) + 2.0 * n + 8.0 * double(size), 2.0 * double(edges.size()));
  run.report();
}
