#include <algorithm>
#include <array>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

constexpr std::int64_t kValues = 1000;
using Counts = std::array<std::int32_t, kValues>;

}  // namespace
}  // namespace program_peers

// Four tables per thread, since increments of one counter depend on each other.
PROGRAM_PEER(histogram) {
  const std::int64_t n = run.n(), threads = run.team().threads(), grain = (n + threads - 1) / threads;
  const Buffer<std::int32_t> s(n, [](std::int64_t i) { return below(1 + below(1000, i), i + 1); });
  const Buffer<std::array<Counts, 4>> tables(threads);
  Counts counts{};
  run.time([&] {
    run.team().for_chunks(n, grain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
      auto& mine = tables[chunk];
      for (Counts& table : mine) table.fill(0);
      std::int64_t i = begin;
      for (; i + 4 <= end; i += 4) ++mine[0][s[i]], ++mine[1][s[i + 1]], ++mine[2][s[i + 2]], ++mine[3][s[i + 3]];
      for (; i < end; ++i) ++mine[0][s[i]];
    });
    counts.fill(0);
    for (const auto& mine : tables)
      for (const Counts& table : mine)
        for (std::int64_t k = 0; k < kValues; ++k) counts[k] += table[k];
  });
  std::uint32_t sum = 0;
  for (std::int64_t k = 0; k < kValues; ++k) sum += std::uint32_t(counts[k]) * std::uint32_t(k);
  run.result(*std::max_element(counts.begin(), counts.end()), std::int32_t(sum));
  run.cost(4.0 * n, double(n));
  run.report();
}
