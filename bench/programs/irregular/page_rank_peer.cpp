#include <algorithm>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

struct Link {
  std::int32_t from, to;
};

}  // namespace
}  // namespace program_peers

// Each thread adds the shares of its links to ranks of its own.
PROGRAM_PEER(page_rank) {
  const std::int64_t n = run.n(), threads = run.team().threads(), grain = (8 * n + threads - 1) / threads;
  const Buffer<Link> links(8 * n, [&](std::int64_t i) {
    return Link{std::int32_t(i / 8), below(below(std::int32_t(n), 2 * i) + 1, 2 * i + 1)};
  });
  const Buffer<double> ranks(n), degrees(n), shares(n), parts(threads * n);
  run.time([&] {
    std::fill(degrees.begin(), degrees.end(), 0.0);
    for (const Link& link : links) degrees[link.from] += 1;
    std::fill(ranks.begin(), ranks.end(), 1.0);
    for (int step = 0; step < 10; ++step) {
      for (std::int64_t v = 0; v < n; ++v) shares[v] = 0.85 * ranks[v] / degrees[v];
      run.team().for_chunks(8 * n, grain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
        double* const own = parts.data() + chunk * n;
        std::fill_n(own, n, 0.0);
        for (std::int64_t e = begin; e < end; ++e) own[links[e].to] += shares[links[e].from];
      });
      run.team().for_chunks(n, 16384, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
        for (std::int64_t v = begin; v < end; ++v) {
          ranks[v] = 0.15;
          for (std::int64_t t = 0; t < threads; ++t) ranks[v] += parts[t * n + v];
        }
      });
    }
  });
  double sum = 0;
  for (const double rank : ranks) sum += rank;
  run.result(sum, *std::max_element(ranks.begin(), ranks.end()));
  // Bytes: the links, shares and ranks in each step. Operations: a sum for each link.
  run.cost(11 * (64.0 * n + 16.0 * n), 11 * 8.0 * n);
  run.report();
}
