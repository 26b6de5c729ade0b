#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

using Point = std::array<double, 2>;

Point make_point(std::int64_t i, std::int64_t kind) {
  const double x = unit(2 * i), y = unit(2 * i + 1);
  if (kind == 0) return {x, y};
  if (kind == 1) return {x * x * x * x, y * y * y * y};
  return {x, 0.5};
}

/// Orders a range of points as a tree: the one in the middle is the root, and the ranges on both sides are its
/// subtrees.
void make_tree(Point* points, std::int64_t n, int axis) {
  if (n < 2) return;
  const std::int64_t middle = n / 2;
  std::nth_element(points, points + middle, points + n,
                   [axis](const Point& a, const Point& b) { return a[axis] < b[axis]; });
  make_tree(points, middle, 1 - axis);
  make_tree(points + middle + 1, n - middle - 1, 1 - axis);
}

/// The least of `best` and the square distances from a point to the other points of a subtree.
double search(const Point* tree, std::int64_t n, int axis, const Point& from, double best) {
  if (n == 0) return best;
  const std::int64_t middle = n / 2;
  const Point& root = tree[middle];
  const double dx = from[0] - root[0], dy = from[1] - root[1], offset = from[axis] - root[axis];
  if (&root != &from) best = std::min(best, dx * dx + dy * dy);
  const auto lower = [&] { return search(tree, middle, 1 - axis, from, best); };
  const auto upper = [&] { return search(tree + middle + 1, n - middle - 1, 1 - axis, from, best); };
  best = offset < 0 ? lower() : upper();
  if (offset * offset < best) best = offset < 0 ? upper() : lower();
  return best;
}

}  // namespace
}  // namespace program_peers

// A k-d tree as an order of the points.
PROGRAM_PEER(nearest_neighbours) {
  const std::int64_t n = run.n();
  const Buffer<Point> points(n, [&](std::int64_t i) { return make_point(i, run.argument(0)); });
  const Buffer<Point> tree(n);
  const Buffer<double> distances(n);
  run.time([&] {
    std::copy(points.begin(), points.end(), tree.begin());
    make_tree(tree.data(), n, 0);
    run.team().for_chunks(n, 1024, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k)
        distances[k] = std::sqrt(search(tree.data(), n, 0, tree[k], std::numeric_limits<double>::max()));
    });
  });
  double most = 0, sum = 0;
  for (const double distance : distances) most = std::max(most, distance), sum += distance;
  run.result(most, sum);
  // Bytes: the points read and written, and read; the distances. Operations: a path to a leaf and one back, of eight
  // operations a level, and a partition a level.
  run.cost(16.0 * 3 * n + 8.0 * n, 20.0 * n * std::log2(double(n)));
  run.report();
}
