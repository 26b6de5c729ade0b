#include <algorithm>
#include <atomic>

#include "../frame/graphs.h"
#include "../frame/peer_run.h"

// Computes one frontier after the other. With several threads, a vertex belongs to the frontier of the thread that is
// first to set its distance.
PROGRAM_PEER(breadth_first) {
  const Graph graph = make_graph(run.n(), run.argument(0));
  const std::int64_t vertices = graph.vertices(), threads = run.team().threads();
  const Buffer<std::int32_t> distances(vertices), frontier(vertices), next(threads * vertices);
  run.time([&] {
    std::fill(distances.begin(), distances.end(), -1);
    distances[0] = 0;
    frontier[0] = 0;
    std::int64_t size = 1;
    for (std::int32_t distance = 1; size > 0; ++distance) {
      const std::int64_t shares = size < 1024 ? 1 : threads, grain = (size + shares - 1) / shares;
      std::vector<std::int64_t> sizes(shares, 0);
      run.team().for_chunks(size, grain, [&](std::int64_t share, std::int64_t begin, std::int64_t end) {
        std::int32_t* const reached = next.data() + share * vertices;
        std::int64_t count = 0;
        for (std::int64_t f = begin; f < end; ++f) {
          const std::int32_t vertex = frontier[f];
          for (std::int32_t edge = graph.starts[vertex]; edge < graph.starts[vertex + 1]; ++edge) {
            const std::int32_t target = graph.targets[edge];
            if (shares == 1) {
              if (distances[target] >= 0) continue;
              distances[target] = distance;
            } else {
              const std::atomic_ref<std::int32_t> entry(distances[target]);
              std::int32_t unset = -1;
              if (entry.load(std::memory_order_relaxed) >= 0 ||
                  !entry.compare_exchange_strong(unset, distance, std::memory_order_relaxed))
                continue;
            }
            reached[count++] = target;
          }
        }
        sizes[share] = count;
      });
      size = 0;
      for (std::int64_t share = 0; share < shares; ++share) {
        std::copy_n(next.begin() + share * vertices, sizes[share], frontier.begin() + size);
        size += sizes[share];
      }
    }
  });
  std::int32_t most = -1;
  std::uint32_t sum = 0;
  for (const std::int32_t d : distances) most = std::max(most, d), sum += std::uint32_t(d);
  run.result(most, std::int32_t(sum));
  // Bytes: edges, their starts, the distances twice, the frontiers written and read. Operations: a test for each edge.
  const double edges = double(graph.targets.size());
  run.cost(4 * edges + 4.0 * vertices * 6, edges);
  run.report();
}
