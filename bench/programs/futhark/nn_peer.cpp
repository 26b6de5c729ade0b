#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

constexpr std::size_t kNearest = 100;
/// The square of a distance and the number of a record.
using Near = std::pair<double, std::int64_t>;

/// Keeps the nearest, the furthest of them first.
void keep(std::vector<Near>& heap, const Near& near) {
  if (heap.size() == kNearest) {
    if (!(near < heap.front())) return;
    std::pop_heap(heap.begin(), heap.end());
    heap.back() = near;
  } else {
    heap.push_back(near);
  }
  std::push_heap(heap.begin(), heap.end());
}

}  // namespace
}  // namespace program_peers

// A heap of a hundred records for each chunk. Most blocks of records have none that is near enough, which a vectorised
// minimum finds.
PROGRAM_PEER(nn) {
  constexpr std::int64_t kBlock = 64, kGrain = 65536;
  const std::int64_t n = run.n();
  const Buffer<double> latitudes(n, [](std::int64_t i) { return 7.0 + 63.0 * unit(2 * i); });
  const Buffer<double> longitudes(n, [](std::int64_t i) { return 358.0 * unit(2 * i + 1); });
  std::vector<Near> nearest;
  run.time([&] {
    std::vector<std::vector<Near>> heaps((n + kGrain - 1) / kGrain);
    run.team().for_chunks(n, kGrain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
      std::vector<Near>& heap = heaps[chunk];
      std::array<double, kBlock> squares;
      for (std::int64_t base = begin; base < end; base += kBlock) {
        const std::int64_t size = std::min(kBlock, end - base);
        double least = 1e300;
        for (std::int64_t i = 0; i < size; ++i) {
          const double a = latitudes[base + i] - 30.0, b = longitudes[base + i] - 90.0;
          squares[i] = a * a + b * b;
          least = std::min(least, squares[i]);
        }
        if (heap.size() == kNearest && least > heap.front().first) continue;
        for (std::int64_t i = 0; i < size; ++i) keep(heap, {squares[i], base + i});
      }
    });
    nearest.clear();
    for (const std::vector<Near>& heap : heaps)
      for (const Near& near : heap) keep(nearest, near);
    std::sort_heap(nearest.begin(), nearest.end());
  });
  std::int64_t numbers = 0;
  double distances = 0;
  for (const auto& [square, i] : nearest) numbers += i, distances += std::sqrt(square);
  run.result(std::int32_t(numbers), distances, std::sqrt(nearest.front().first), nearest.front().second,
             std::sqrt(nearest.back().first), nearest.back().second);
  run.cost(16.0 * n, 5.0 * n);
  run.report();
}
