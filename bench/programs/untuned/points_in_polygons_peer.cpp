#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

/// An edge from (ax, ay) to (bx, by), with dx / dy, or 0 if it is horizontal and no line to the right crosses it.
struct Edge {
  double ax, ay, by, slope;
};

struct Point {
  double x, y;
};

std::vector<Point> random_polygon(std::int64_t k) {
  const std::int32_t corners = 3 + below(18, k);
  const double x = unit(2 * k), y = unit(2 * k + 1);
  std::vector<Point> polygon;
  for (std::int32_t j = 0; j < corners; ++j) {
    const double angle = 2.0 * 3.141592653589793 * double(j) / double(corners), radius = 0.1 + 0.2 * unit(20 * k + j);
    polygon.push_back({x + radius * std::cos(angle), y + radius * std::sin(angle)});
  }
  return polygon;
}

}  // namespace
}  // namespace program_peers

// Takes a block of points through all edges of a polygon, eight points at once.
PROGRAM_PEER(points_in_polygons) {
  constexpr std::int64_t kBlock = 256;
  const std::int64_t n = run.n(), polygons = n / 50;
  const Buffer<double> xs(n, [](std::int64_t i) { return unit(-2 * i); }),
      ys(n, [](std::int64_t i) { return unit(-2 * i - 1); });
  std::vector<std::vector<Point>> corners;
  double tests = 0;
  for (std::int64_t k = 0; k < polygons; ++k) {
    corners.push_back(random_polygon(k));
    tests += double(corners.back().size()) * double(n);
  }
  const Buffer<std::int64_t> counts(polygons);
  run.time([&] {
    run.team().for_chunks(polygons, 8, [&](std::int64_t, std::int64_t first, std::int64_t last) {
      std::vector<Edge> edges;
      std::array<std::int64_t, kBlock> odd;
      for (std::int64_t k = first; k < last; ++k) {
        edges.clear();
        for (std::size_t c = 0; c < corners[k].size(); ++c) {
          const Point a = corners[k][c], b = corners[k][c + 1 < corners[k].size() ? c + 1 : 0];
          edges.push_back({a.x, a.y, b.y, a.y == b.y ? 0.0 : (b.x - a.x) / (b.y - a.y)});
        }
        std::int64_t count = 0;
        for (std::int64_t base = 0; base < n; base += kBlock) {
          const std::int64_t size = std::min(kBlock, n - base);
          odd.fill(0);
          for (const Edge& edge : edges)
            for (std::int64_t i = 0; i < size; ++i) {
              const double x = xs[base + i], y = ys[base + i];
              const std::int64_t spans = std::int64_t(edge.ay > y) ^ std::int64_t(edge.by > y);
              odd[i] ^= spans & std::int64_t(x < edge.ax + edge.slope * (y - edge.ay));
            }
          for (std::int64_t i = 0; i < size; ++i) count += odd[i];
        }
        counts[k] = count;
      }
    });
  });
  std::int64_t sum = 0, most = 0;
  for (const std::int64_t count : counts) sum += count, most = std::max(most, count);
  run.result(most, sum);
  run.cost(16.0 * n, 6.0 * tests);
  run.report();
}
