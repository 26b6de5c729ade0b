#include <array>
#include <limits>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

constexpr int kCentres = 10;

/// The sum of the points nearest to a centre, and their number.
struct Cluster {
  double x = 0, y = 0, z = 0, size = 0;
};
using Clusters = std::array<Cluster, kCentres>;

}  // namespace
}  // namespace program_peers

// Processes a block of points at a time: first the nearest centres, of eight points at once, then the sums.
PROGRAM_PEER(k_means) {
  constexpr std::int64_t kBlock = 256;
  const std::int64_t n = run.n(), threads = run.team().threads(), grain = (n + threads - 1) / threads;
  const Buffer<double> xs(n, [](std::int64_t i) { return unit(3 * i); }),
      ys(n, [](std::int64_t i) { return unit(3 * i + 1); }), zs(n, [](std::int64_t i) { return unit(3 * i + 2); });
  std::vector<Clusters> parts(threads);
  std::vector<Cluster> centres;
  run.time([&] {
    centres.clear();
    for (std::int64_t c = 0; c < std::min<std::int64_t>(n, kCentres); ++c) centres.push_back({xs[c], ys[c], zs[c], 1});
    for (int round = 0; round < 5; ++round) {
      run.team().for_chunks(n, grain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
        Clusters sums{};
        std::array<double, kBlock> least;
        std::array<std::int64_t, kBlock> nearest;
        for (std::int64_t base = begin; base < end; base += kBlock) {
          const std::int64_t size = std::min(kBlock, end - base);
          least.fill(std::numeric_limits<double>::max());
          for (std::size_t c = 0; c < centres.size(); ++c) {
            const Cluster centre = centres[c];
            for (std::int64_t i = 0; i < size; ++i) {
              const double dx = xs[base + i] - centre.x, dy = ys[base + i] - centre.y, dz = zs[base + i] - centre.z;
              const double square = dx * dx + dy * dy + dz * dz;
              nearest[i] = square < least[i] ? std::int64_t(c) : nearest[i];
              least[i] = square < least[i] ? square : least[i];
            }
          }
          for (std::int64_t i = 0; i < size; ++i) {
            Cluster& sum = sums[nearest[i]];
            sum = {sum.x + xs[base + i], sum.y + ys[base + i], sum.z + zs[base + i], sum.size + 1};
          }
        }
        parts[chunk] = sums;
      });
      std::vector<Cluster> moved;
      for (std::size_t c = 0; c < centres.size(); ++c) {
        Cluster all{};
        for (const Clusters& part : parts)
          all = {all.x + part[c].x, all.y + part[c].y, all.z + part[c].z, all.size + part[c].size};
        if (all.size > 0) moved.push_back({all.x / all.size, all.y / all.size, all.z / all.size, all.size});
      }
      centres = moved;
    }
  });
  double total = 0;
  for (const Cluster& centre : centres) total += centre.x + 2.0 * centre.y + 3.0 * centre.z;
  run.result(std::int64_t(centres.size()), total);
  run.cost(5 * 24.0 * n, 5.0 * n * (kCentres * 10 + 4));
  run.report();
}
