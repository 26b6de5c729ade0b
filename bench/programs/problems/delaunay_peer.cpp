#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

struct Point {
  double x, y;
};

/// Twice the area of a triangle, positive if its corners are counterclockwise.
double area(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/// Whether d is inside the circle through a, b and c, which are counterclockwise.
bool in_circle(const Point& a, const Point& b, const Point& c, const Point& d) {
  const double ax = a.x - d.x, ay = a.y - d.y, bx = b.x - d.x, by = b.y - d.y, cx = c.x - d.x, cy = c.y - d.y;
  return (ax * ax + ay * ay) * (bx * cy - by * cx) + (bx * bx + by * by) * (cx * ay - cy * ax) +
             (cx * cx + cy * cy) * (ax * by - ay * bx) >
         0;
}

/// The triangulation by divide and conquer of Guibas and Stolfi 1985, with their quad-edges: four directed edges with
/// consecutive numbers are an edge, its dual, and both reversed.
class Triangulation {
 public:
  using Edge = std::int32_t;

  explicit Triangulation(std::int64_t n) : points_(n), next_(std::size_t(12 * n)), origin_(std::size_t(12 * n)) {}

  void build(const Buffer<Point>& points) {
    std::copy(points.begin(), points.end(), points_.begin());
    std::sort(points_.begin(), points_.end(),
              [](const Point& a, const Point& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
    size_ = 0;
    free_.clear();
    triangulate(0, std::int32_t(points_.size()));
  }

  /// The number of triangles and the sum of their perimeters.
  std::pair<std::int64_t, double> triangles() const {
    std::int64_t count = 0;
    double sum = 0;
    for (Edge e = 0; e < size_; e += 2) {
      if (origin_[e] < 0) continue;
      const Edge second = left_next(e), third = left_next(second);
      if (left_next(third) != e || area(from(e), from(second), from(third)) <= 0) continue;
      ++count;
      sum += std::hypot(to(e).x - from(e).x, to(e).y - from(e).y);
    }
    return {count / 3, sum};
  }

 private:
  static Edge turned(Edge e) { return (e & ~3) | ((e + 1) & 3); }
  static Edge reversed(Edge e) { return e ^ 2; }
  static Edge turned_back(Edge e) { return (e & ~3) | ((e + 3) & 3); }

  /// The next edge counterclockwise around the origin, clockwise, around the face on the left, and around that on the
  /// right.
  Edge next(Edge e) const { return next_[e]; }
  Edge previous(Edge e) const { return turned(next_[turned(e)]); }
  Edge left_next(Edge e) const { return turned(next_[turned_back(e)]); }
  Edge right_previous(Edge e) const { return next_[reversed(e)]; }
  const Point& from(Edge e) const { return points_[origin_[e]]; }
  const Point& to(Edge e) const { return points_[origin_[reversed(e)]]; }
  bool is_left(const Point& p, Edge e) const { return area(p, from(e), to(e)) > 0; }
  bool is_right(const Point& p, Edge e) const { return area(p, to(e), from(e)) > 0; }

  Edge make_edge(std::int32_t origin, std::int32_t target) {
    Edge e = size_;
    if (free_.empty())
      size_ += 4;
    else
      e = free_.back(), free_.pop_back();
    next_[e] = e, next_[e + 1] = e + 3, next_[e + 2] = e + 2, next_[e + 3] = e + 1;
    origin_[e] = origin, origin_[e + 2] = target;
    return e;
  }

  void splice(Edge a, Edge b) {
    const Edge dual_a = turned(next(a)), dual_b = turned(next(b));
    std::swap(next_[a], next_[b]);
    std::swap(next_[dual_a], next_[dual_b]);
  }

  /// A new edge from the end of a to the origin of b.
  Edge connect(Edge a, Edge b) {
    const Edge e = make_edge(origin_[reversed(a)], origin_[b]);
    splice(e, left_next(a));
    splice(reversed(e), b);
    return e;
  }

  void remove(Edge e) {
    splice(e, previous(e));
    splice(reversed(e), previous(reversed(e)));
    origin_[e] = origin_[reversed(e)] = -1;
    free_.push_back(e & ~3);
  }

  /// Triangulates a range of points: the edges of the border counterclockwise out of the leftmost point and clockwise
  /// out of the rightmost one.
  std::pair<Edge, Edge> triangulate(std::int32_t begin, std::int32_t end) {
    if (end - begin == 2) {
      const Edge e = make_edge(begin, begin + 1);
      return {e, reversed(e)};
    }
    if (end - begin == 3) {
      const Edge a = make_edge(begin, begin + 1), b = make_edge(begin + 1, begin + 2);
      splice(reversed(a), b);
      const double turn = area(points_[begin], points_[begin + 1], points_[begin + 2]);
      if (turn == 0) return {a, reversed(b)};
      const Edge c = connect(b, a);
      return turn > 0 ? std::pair{a, reversed(b)} : std::pair{reversed(c), c};
    }
    const std::int32_t middle = (begin + end) / 2;
    const auto left = triangulate(begin, middle);
    return merge(left, triangulate(middle, end));
  }

  std::pair<Edge, Edge> merge(std::pair<Edge, Edge> left, std::pair<Edge, Edge> right) {
    auto [left_out, left_in] = left;
    auto [right_in, right_out] = right;
    for (;;) {
      if (is_left(from(right_in), left_in))
        left_in = left_next(left_in);
      else if (is_right(from(left_in), right_in))
        right_in = right_previous(right_in);
      else
        break;
    }
    Edge base = connect(reversed(right_in), left_in);
    if (origin_[left_in] == origin_[left_out]) left_out = reversed(base);
    if (origin_[right_in] == origin_[right_out]) right_out = base;
    for (;;) {
      Edge l = next(reversed(base)), r = previous(base);
      if (is_right(to(l), base))
        while (in_circle(to(base), from(base), to(l), to(next(l)))) remove(std::exchange(l, next(l)));
      if (is_right(to(r), base))
        while (in_circle(to(base), from(base), to(r), to(previous(r)))) remove(std::exchange(r, previous(r)));
      const bool left_goes = is_right(to(l), base), right_goes = is_right(to(r), base);
      if (!left_goes && !right_goes) return {left_out, right_out};
      if (!left_goes || (right_goes && in_circle(to(l), from(l), from(r), to(r))))
        base = connect(r, reversed(base));
      else
        base = connect(reversed(base), reversed(l));
    }
  }

  Buffer<Point> points_;
  Buffer<Edge> next_, origin_;
  std::vector<Edge> free_;
  Edge size_ = 0;
};

}  // namespace
}  // namespace program_peers

PROGRAM_PEER(delaunay) {
  const std::int64_t n = run.n();
  const Buffer<Point> points(n, [](std::int64_t i) { return Point{unit(2 * i), unit(2 * i + 1)}; });
  Triangulation triangulation(n);
  run.time([&] { triangulation.build(points); });
  const auto [count, sum] = triangulation.triangles();
  run.result(count, sum);
  // Bytes: the points, and three points and three neighbours of each triangle. Operations: a comparison of a sort a
  // level, and a test of a circle for each edge.
  run.cost(16.0 * 2 * n + 24.0 * 2 * n, n * (std::log2(double(n)) + 3 * 30.0));
  run.report();
}
