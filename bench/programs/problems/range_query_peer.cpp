#include <algorithm>
#include <cmath>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

struct Point {
  double x, y;
};

struct Rectangle {
  double left, right, bottom, top;
};

/// The line at x of a rectangle: points before it count with this sign.
struct Line {
  double x;
  std::int32_t rectangle, sign;
};

Point make_point(std::int64_t i, std::int64_t kind) {
  const double x = unit(2 * i), y = unit(2 * i + 1);
  return kind == 0 ? Point{x, y} : Point{x * x * x * x, y * y * y * y};
}

Rectangle make_rectangle(std::int64_t i, std::int64_t kind) {
  const auto [x, y] = make_point(2 * i, kind);
  const double side = kind == 0 ? 1.0 : 0.1;
  return {x, x + side * unit(4 * i + 2), y, y + side * unit(4 * i + 3)};
}

/// Counts of numbers from 0 to n - 1, in a tree by Fenwick.
class Counts {
 public:
  explicit Counts(std::int64_t n) : sums_(std::size_t(n + 1)) {}

  void clear() { std::fill(sums_.begin(), sums_.end(), 0); }
  void add(std::int64_t number) {
    for (std::int64_t i = number + 1; i < sums_.size(); i += i & -i) ++sums_[i];
  }
  std::int32_t less(std::int64_t number) const {
    std::int32_t sum = 0;
    for (std::int64_t i = number; i > 0; i -= i & -i) sum += sums_[i];
    return sum;
  }

 private:
  Buffer<std::int32_t> sums_;
};

}  // namespace
}  // namespace program_peers

// Goes over points and the sides of rectangles from left to right, with a tree that counts the points so far by y.
PROGRAM_PEER(range_query) {
  const std::int64_t n = run.n(), kind = run.argument(0);
  const Buffer<Point> points(n, [&](std::int64_t i) { return make_point(i, kind); });
  const Buffer<Rectangle> rectangles(n, [&](std::int64_t i) { return make_rectangle(i - n, kind); });
  const Buffer<Point> sorted(n);
  const Buffer<double> ys(n);
  const Buffer<Line> lines(2 * n);
  const Buffer<std::int32_t> found(n);
  Counts before(n);
  run.time([&] {
    std::copy(points.begin(), points.end(), sorted.begin());
    std::sort(sorted.begin(), sorted.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
    for (std::int64_t i = 0; i < n; ++i) {
      ys[i] = points[i].y;
      lines[2 * i] = {rectangles[i].left, std::int32_t(i), -1};
      lines[2 * i + 1] = {rectangles[i].right, std::int32_t(i), 1};
    }
    std::sort(ys.begin(), ys.end());
    std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.x < b.x; });
    std::fill(found.begin(), found.end(), 0);
    before.clear();
    const auto rank = [&](double y) { return std::lower_bound(ys.begin(), ys.end(), y) - ys.begin(); };
    std::int64_t next = 0;
    for (const Line& line : lines) {
      for (; next < n && sorted[next].x < line.x; ++next) before.add(rank(sorted[next].y));
      const Rectangle& r = rectangles[line.rectangle];
      found[line.rectangle] += line.sign * (before.less(rank(r.top)) - before.less(rank(r.bottom)));
    }
  });
  std::int32_t most = 0;
  std::int64_t sum = 0;
  for (const std::int32_t count : found) most = std::max(most, count), sum += count % 1000;
  run.result(most, std::int32_t(sum));
  // Bytes: points and rectangles, the sorted lines, the counts. Operations: a level of a sort or a search for each of
  // two coordinates of a point and four of a rectangle.
  run.cost(16.0 * 2 * n + 32.0 * n + 32.0 * n + 4.0 * n, 6.0 * n * std::log2(double(n)));
  run.report();
}
