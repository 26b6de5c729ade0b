#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

constexpr double kNever = std::numeric_limits<double>::max();

using Vector = std::array<double, 3>;

Vector minus(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double inner(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

struct Triangle {
  Vector a, b, c;
  double centre(int axis) const { return a[axis] + b[axis] + c[axis]; }
};

struct Ray {
  Vector start, way;
};

struct Box {
  Vector low{kNever, kNever, kNever}, high{-kNever, -kNever, -kNever};

  void add(const Vector& p) {
    for (int axis = 0; axis < 3; ++axis)
      low[axis] = std::min(low[axis], p[axis]), high[axis] = std::max(high[axis], p[axis]);
  }
};

Triangle make_triangle(std::int64_t i, double size, std::int64_t kind) {
  Triangle t;
  for (int axis = 0; axis < 3; ++axis) {
    const double p = unit(3 * i + axis);
    t.a[axis] = kind == 0 ? p : p * p * p;
    t.b[axis] = t.a[axis] + size * (unit(6 * i - 6 + axis) - 0.5);
    t.c[axis] = t.a[axis] + size * (unit(6 * i - 3 + axis) - 0.5);
  }
  return t;
}

/// The distance along a ray at which it meets a triangle, by the method of Moeller and Trumbore; kNever if it does not.
double distance(const Ray& ray, const Triangle& t) {
  const Vector ab = minus(t.b, t.a), ac = minus(t.c, t.a), p = cross(ray.way, ac);
  const double determinant = inner(ab, p);
  if (determinant == 0) return kNever;
  const Vector from_a = minus(ray.start, t.a), q = cross(from_a, ab);
  const double factor = 1 / determinant;
  const double u = inner(from_a, p) * factor, v = inner(ray.way, q) * factor, d = inner(ac, q) * factor;
  return u < 0 || v < 0 || u + v > 1 || d < 0 ? kNever : d;
}

/// A binary tree of boxes around ranges of triangles. Node k has children 2k and 2k + 1; the root is node 1.
class BoxTree {
 public:
  static constexpr std::int64_t kLeaf = 4;

  explicit BoxTree(std::int64_t n) : triangles_(n), boxes_(std::size_t(2 * (n + 1))) {}

  void build(const Buffer<Triangle>& triangles) {
    std::copy(triangles.begin(), triangles.end(), triangles_.begin());
    build(1, 0, triangles_.size(), 0);
  }

  /// Where a ray meets its first triangle.
  double cast(const Ray& ray) const {
    const Vector inverse{1 / ray.way[0], 1 / ray.way[1], 1 / ray.way[2]};
    double nearest = kNever;
    if (entry(1, ray, inverse, nearest) < kNever) cast(1, 0, triangles_.size(), ray, inverse, nearest);
    return nearest;
  }

 private:
  Box build(std::int64_t node, std::int64_t begin, std::int64_t end, int axis) {
    Box box;
    if (end - begin <= kLeaf) {
      for (std::int64_t i = begin; i < end; ++i)
        for (const Vector& p : {triangles_[i].a, triangles_[i].b, triangles_[i].c}) box.add(p);
    } else {
      const std::int64_t middle = (begin + end) / 2;
      std::nth_element(triangles_.begin() + begin, triangles_.begin() + middle, triangles_.begin() + end,
                       [axis](const Triangle& a, const Triangle& b) { return a.centre(axis) < b.centre(axis); });
      const int next = (axis + 1) % 3;
      for (const Box& part : {build(2 * node, begin, middle, next), build(2 * node + 1, middle, end, next)})
        box.add(part.low), box.add(part.high);
    }
    boxes_[node] = box;
    return box;
  }

  /// Where a ray enters a box, or kNever if that is not before `nearest`.
  double entry(std::int64_t node, const Ray& ray, const Vector& inverse, double nearest) const {
    const Box& box = boxes_[node];
    double in = 0, out = nearest;
    for (int axis = 0; axis < 3; ++axis) {
      const double a = (box.low[axis] - ray.start[axis]) * inverse[axis];
      const double b = (box.high[axis] - ray.start[axis]) * inverse[axis];
      in = std::max(in, std::min(a, b));
      out = std::min(out, std::max(a, b));
    }
    return in <= out ? in : kNever;
  }

  /// Visits the child first that the ray enters first.
  void cast(std::int64_t node, std::int64_t begin, std::int64_t end, const Ray& ray, const Vector& inverse,
            double& nearest) const {
    if (end - begin <= kLeaf) {
      for (std::int64_t i = begin; i < end; ++i) nearest = std::min(nearest, distance(ray, triangles_[i]));
      return;
    }
    const std::int64_t middle = (begin + end) / 2;
    const double lower = entry(2 * node, ray, inverse, nearest), upper = entry(2 * node + 1, ray, inverse, nearest);
    const bool lower_first = lower <= upper;
    for (const bool visits_lower : {lower_first, !lower_first}) {
      if ((visits_lower ? lower : upper) >= nearest) continue;
      if (visits_lower)
        cast(2 * node, begin, middle, ray, inverse, nearest);
      else
        cast(2 * node + 1, middle, end, ray, inverse, nearest);
    }
  }

  Buffer<Triangle> triangles_;
  Buffer<Box> boxes_;
};

}  // namespace
}  // namespace program_peers

// A tree of boxes that is halved along each axis in turn, and searched from front to back.
PROGRAM_PEER(ray_casting) {
  const std::int64_t n = run.n();
  const Buffer<Triangle> triangles(
      n, [&](std::int64_t i) { return make_triangle(i, 4.0 / std::sqrt(double(n)), run.argument(0)); });
  const Buffer<Ray> rays(n, [&](std::int64_t k) {
    const std::int64_t i = n + k;
    return Ray{{unit(5 * i), unit(5 * i + 1), -1.0}, {unit(5 * i + 2) - 0.5, unit(5 * i + 3) - 0.5, 2.0}};
  });
  BoxTree tree(n);
  const Buffer<double> distances(n);
  run.time([&] {
    tree.build(triangles);
    run.team().for_chunks(n, 256, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) distances[i] = tree.cast(rays[i]);
    });
  });
  std::int64_t hits = 0;
  double sum = 0;
  for (const double d : distances)
    if (d < kNever) ++hits, sum += d;
  run.result(hits, sum);
  // Bytes: triangles and rays once, the tree written. Operations: a path of boxes and a leaf for each ray, and a
  // partition of the triangles a level.
  const double levels = std::log2(double(n));
  run.cost(72.0 * 2 * n + 48.0 * n + 8.0 * n, n * (18.0 * levels + 40.0 * double(BoxTree::kLeaf) + 3.0 * levels));
  run.report();
}
