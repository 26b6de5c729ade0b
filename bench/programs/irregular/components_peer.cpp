#include <algorithm>
#include <atomic>
#include <utility>

#include "../frame/graphs.h"
#include "../frame/peer_run.h"

namespace program_peers {
namespace {

std::int32_t parent_of(const Buffer<std::int32_t>& parents, std::int32_t v) {
  return std::atomic_ref<std::int32_t>(parents[v]).load(std::memory_order_relaxed);
}

/// As many random edges as vertices, or those of a graph of graphs.nesl.
std::vector<Edge> make_edges(std::int64_t n, std::int64_t kind) {
  if (kind != 1) return upward_edges(n, kind);
  std::vector<Edge> edges;
  for (std::int64_t i = 0; i < n; ++i) edges.push_back({below(std::int32_t(n), i), below(std::int32_t(n), i + n)});
  return edges;
}

/// The root of a vertex. Halves the path to the root on the way.
std::int32_t find_root(const Buffer<std::int32_t>& parents, std::int32_t v) {
  for (;;) {
    const std::int32_t parent = parent_of(parents, v), grand = parent_of(parents, parent);
    if (parent == grand) return parent;
    std::atomic_ref<std::int32_t>(parents[v]).store(grand, std::memory_order_relaxed);
    v = grand;
  }
}

/// Unites the components of two vertices under the smaller root, by the algorithm of Rem: walks both paths together,
/// and links vertices of one path below the other. For one thread.
void unite_alone(const Buffer<std::int32_t>& parents, std::int32_t u, std::int32_t v) {
  while (parents[u] != parents[v]) {
    if (parents[u] < parents[v]) std::swap(u, v);
    const std::int32_t parent = parents[u];
    parents[u] = parents[v];
    if (u == parent) return;
    u = parent;
  }
}

/// As unite_alone(), for several threads: a vertex gets a parent only if it is still a root.
void unite(const Buffer<std::int32_t>& parents, std::int32_t u, std::int32_t v) {
  for (;;) {
    u = find_root(parents, u);
    v = find_root(parents, v);
    if (u == v) return;
    const std::int32_t larger = std::max(u, v);
    std::int32_t expected = larger;
    if (std::atomic_ref<std::int32_t>(parents[larger])
            .compare_exchange_strong(expected, std::min(u, v), std::memory_order_relaxed))
      return;
  }
}

}  // namespace
}  // namespace program_peers

// Union-find with the smallest vertex of a component as its root.
PROGRAM_PEER(components) {
  const std::int64_t n = run.n();
  const std::vector<Edge> made = make_edges(n, run.argument(0));
  const Buffer<Edge> edges(made.size(), [&](std::int64_t i) { return made[i]; });
  const Buffer<std::int32_t> parents(n);
  const bool alone = run.team().threads() == 1;
  constexpr std::int64_t kGrain = 4096;
  run.time([&] {
    for (std::int64_t v = 0; v < n; ++v) parents[v] = std::int32_t(v);
    run.team().for_chunks(edges.size(), kGrain, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      constexpr std::int64_t kAhead = 16;
      for (std::int64_t i = begin; i < end; ++i) {
        if (i + kAhead < edges.size()) {
          __builtin_prefetch(&parents[edges[i + kAhead].u]);
          __builtin_prefetch(&parents[edges[i + kAhead].v]);
        }
        if (alone)
          unite_alone(parents, edges[i].u, edges[i].v);
        else
          unite(parents, edges[i].u, edges[i].v);
      }
    });
    run.team().for_chunks(n, kGrain, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t v = begin; v < end; ++v) {
        const std::int32_t root = find_root(parents, std::int32_t(v));
        std::atomic_ref<std::int32_t>(parents[v]).store(root, std::memory_order_relaxed);
      }
    });
  });
  std::int64_t roots = 0;
  std::uint32_t sum = 0;
  for (std::int64_t v = 0; v < n; ++v) roots += parents[v] == v, sum += std::uint32_t(parents[v]);
  run.result(roots, std::int32_t(sum));
  run.cost(8.0 * double(edges.size()) + 3 * 4.0 * n, 4.0 * double(edges.size()));
  run.report();
}
