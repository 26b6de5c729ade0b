#include <algorithm>
#include <atomic>
#include <limits>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

constexpr std::int32_t kFar = std::numeric_limits<std::int32_t>::max();

struct Edge {
  std::int32_t from, to, length;
};

/// Lowers the distance of the end of an edge, which other threads lower too. True if it was farther.
bool relax(const Buffer<std::int32_t>& distances, const Edge& edge) {
  const std::int32_t before = std::atomic_ref(distances[edge.from]).load(std::memory_order_relaxed);
  if (before == kFar) return false;
  const std::int32_t offer = before + edge.length;
  const std::atomic_ref<std::int32_t> end(distances[edge.to]);
  std::int32_t old = end.load(std::memory_order_relaxed);
  while (offer < old)
    if (end.compare_exchange_weak(old, offer, std::memory_order_relaxed)) return true;
  return false;
}

}  // namespace
}  // namespace program_peers

// Bellman and Ford's method in place: a round also uses distances that it has lowered itself.
PROGRAM_PEER(shortest_paths) {
  const std::int64_t n = run.n();
  const Buffer<Edge> edges(4 * n, [&](std::int64_t i) {
    return Edge{std::int32_t(i / 4), below(std::int32_t(n), 2 * i), 1 + below(1000, 2 * i + 1)};
  });
  const Buffer<std::int32_t> distances(n);
  std::int64_t rounds = 0;
  run.time([&] {
    std::fill(distances.begin(), distances.end(), kFar);
    distances[0] = 0;
    rounds = 0;
    for (std::atomic<bool> changed = true; changed; ++rounds) {
      changed = false;
      run.team().for_chunks(4 * n, 16384, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
        bool any = false;
        for (std::int64_t e = begin; e < end; ++e) any |= relax(distances, edges[e]);
        if (any) changed = true;
      });
    }
  });
  std::int64_t reached = 0;
  std::uint32_t sum = 0;
  for (const std::int32_t d : distances)
    if (d < kFar) ++reached, sum += std::uint32_t(d);
  run.result(reached, std::int32_t(sum));
  // Bytes: the edges in each round, and the distances. Operations: a sum and a comparison for each edge.
  run.cost(double(rounds) * (48.0 * n + 4.0 * n), double(rounds) * 8.0 * n);
  run.report();
}
