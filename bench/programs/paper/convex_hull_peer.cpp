#include <algorithm>
#include <array>
#include <cmath>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

struct Point {
  double x, y;
};

double cross(Point o, Point a, Point b) { return (a.x - o.x) * (b.y - o.y) - (b.x - o.x) * (a.y - o.y); }

/// Points as two arrays, from which vector instructions can load whole registers.
struct Points {
  double *xs, *ys;

  Point operator[](std::int64_t i) const { return {xs[i], ys[i]}; }
  Points from(std::int64_t i) const { return {xs + i, ys + i}; }
};

/// The points on one side of a line: their number, and the farthest point.
struct Side {
  std::int64_t size = 0;
  double most = 0;
  Point far{};
};

/// Copies the points left of the line from p to q to `left`, which may be `points`. With kBothSides, also copies those
/// right of the line to `right`.
template <bool kBothSides>
void split(Points points, std::int64_t n, Point p, Point q, Points left, Side& on_left, Points right, Side& on_right) {
  constexpr std::int64_t kBlock = 512;
  std::array<double, kBlock> areas;
  for (std::int64_t begin = 0; begin < n; begin += kBlock) {
    const std::int64_t size = std::min(kBlock, n - begin);
    const Points block = points.from(begin);
    double most = 0, least = 0;
    for (std::int64_t i = 0; i < size; ++i) {
      areas[i] = cross(block[i], p, q);
      most = std::max(most, areas[i]);
      least = std::min(least, areas[i]);
    }
    if (most > on_left.most) {
      on_left.most = most;
      on_left.far = block[std::find(areas.begin(), areas.begin() + size, most) - areas.begin()];
    }
    if (kBothSides && -least > on_right.most) {
      on_right.most = -least;
      on_right.far = block[std::find(areas.begin(), areas.begin() + size, least) - areas.begin()];
    }
    for (std::int64_t i = 0; i < size; ++i) {
      const Point o = block[i];
      left.xs[on_left.size] = o.x;
      left.ys[on_left.size] = o.y;
      on_left.size += areas[i] > 0;
      if constexpr (kBothSides) {
        right.xs[on_right.size] = o.x;
        right.ys[on_right.size] = o.y;
        on_right.size += areas[i] < 0;
      }
    }
  }
}

/// Appends p and the corners between p and q to the hull. The points are those left of the line from p to q; `other`
/// has room for as many.
void corners(Points points, const Side& found, Point p, Point q, Points other, std::vector<Point>& hull) {
  if (found.size == 0) {
    hull.push_back(p);
    return;
  }
  Side first, second, none;
  split<false>(points, found.size, p, found.far, other, first, {}, none);
  split<false>(points, found.size, found.far, q, points, second, {}, none);
  corners(other, first, p, found.far, other.from(first.size), hull);
  corners(points, second, found.far, q, points.from(second.size), hull);
}

struct Ends {
  double least = 2, most = -2;
};

}  // namespace
}  // namespace program_peers

// Quickhull, which splits all points at the line between the leftmost and the rightmost point, and then the points of
// each part in place.
PROGRAM_PEER(convex_hull) {
  const std::int64_t n = run.n();
  const Buffer<double> xs(n), ys(n), left_xs(n), left_ys(n), right_xs(n), right_ys(n), other_xs(n), other_ys(n);
  for (std::int64_t i = 0; i < n; ++i) {
    const double t = unit(2 * i), r = std::sqrt(unit(2 * i + 1)) / (1.0 + t * t);
    const double x = r * (1.0 - t * t), y = 2.0 * r * t;
    xs[i] = i % 4 < 2 ? x : -x;
    ys[i] = i % 2 == 0 ? y : -y;
  }
  const Points points{xs.data(), ys.data()}, left{left_xs.data(), left_ys.data()},
      right{right_xs.data(), right_ys.data()}, other{other_xs.data(), other_ys.data()};
  const std::int64_t threads = run.team().threads(), grain = (n + threads - 1) / threads;
  std::vector<Ends> ends(threads);
  std::vector<std::array<Side, 2>> parts(threads);
  std::array<std::vector<Point>, 2> hull;
  run.time([&] {
    run.team().for_chunks(n, grain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
      Ends mine;
      for (std::int64_t i = begin; i < end; ++i) mine = {std::min(mine.least, xs[i]), std::max(mine.most, xs[i])};
      ends[chunk] = mine;
    });
    Ends all;
    for (const Ends& part : ends) all = {std::min(all.least, part.least), std::max(all.most, part.most)};
    const Point leftmost = points[std::find(xs.begin(), xs.end(), all.least) - xs.begin()];
    const Point rightmost = points[std::find(xs.begin(), xs.end(), all.most) - xs.begin()];
    run.team().for_chunks(n, grain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
      parts[chunk] = {};
      split<true>(points.from(begin), end - begin, leftmost, rightmost, left.from(begin), parts[chunk][0],
                  right.from(begin), parts[chunk][1]);
    });
    const auto join = [&](int side, Points found) {
      Side total = parts[0][side];
      for (std::int64_t chunk = 1; chunk < threads; ++chunk) {
        const Side& part = parts[chunk][side];
        std::copy_n(found.xs + chunk * grain, part.size, found.xs + total.size);
        std::copy_n(found.ys + chunk * grain, part.size, found.ys + total.size);
        total = {total.size + part.size, std::max(total.most, part.most),
                 part.most > total.most ? part.far : total.far};
      }
      return total;
    };
    hull[0].clear();
    hull[1].clear();
    run.team().both(
        [&] {
          const Side above = join(0, left);
          corners(left, above, leftmost, rightmost, other, hull[0]);
        },
        [&] {
          const Side below = join(1, right);
          corners(right, below, rightmost, leftmost, other.from(n - below.size), hull[1]);
        });
  });
  hull[0].insert(hull[0].end(), hull[1].begin(), hull[1].end());
  double area = 0;
  for (std::size_t i = 0; i < hull[0].size(); ++i) {
    const Point a = hull[0][i], b = hull[0][(i + 1) % hull[0].size()];
    area += a.x * b.y - b.x * a.y;
  }
  run.result(std::int64_t(hull[0].size()), 0.5 * std::fabs(area));
  // Bytes: the abscissas are read for the extreme points, and all points for the first split, which writes all of them.
  // Each of the next two splits reads all of them; a third of the points of a disk is left outside of the inscribed
  // quadrilateral.
  run.cost(n * (8.0 + 32 + 32 + 32.0 / 3), n * (2 + 9.0 + 18.0));
  run.report();
}
