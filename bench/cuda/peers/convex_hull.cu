#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scatter.h>
#include <thrust/sort.h>
#include <thrust/tabulate.h>

#include <cmath>
#include <cstdint>

#include "device_peers.h"

namespace bench::cuda {
namespace {

struct Point {
  float x, y;
};
struct Edge {
  Point from, to;
};
/// The farthest point of an edge: twice the area of its triangle with the edge, and its index.
struct Far {
  float area;
  std::int64_t point;
};

__host__ __device__ float cross(Point o, Edge edge) {
  return (edge.from.x - o.x) * (edge.to.y - o.y) - (edge.from.y - o.y) * (edge.to.x - o.x);
}

struct Spiral {
  std::int64_t n;
  __host__ __device__ Point operator()(std::int64_t i) const {
    const float angle = 2.399963f * float(i), r = sqrtf(float(i) / float(n));
    return {r * cosf(angle), r * sinf(angle)};
  }
};
struct LessX {
  __host__ __device__ bool operator()(Point a, Point b) const { return a.x < b.x; }
};
struct Outside {
  Edge edge;
  __host__ __device__ bool operator()(Point o) const { return cross(o, edge) > 0; }
};
struct Distance {
  const Point* points;
  const std::int32_t* labels;
  const Edge* edges;
  __host__ __device__ Far operator()(std::int64_t k) const { return {cross(points[k], edges[labels[k]]), k}; }
};
struct Farther {
  __host__ __device__ Far operator()(Far a, Far b) const {
    return b.area > a.area || (b.area == a.area && b.point < a.point) ? b : a;
  }
};
/// Computes the two edges that replace an edge with a farthest point.
struct Split {
  const Point* points;
  const Edge* edges;
  const std::int32_t* labels;
  const Far* far;
  __host__ __device__ Edge operator()(std::int64_t k) const {
    const Edge edge = edges[labels[k / 2]];
    const Point corner = points[far[k / 2].point];
    return k % 2 == 0 ? Edge{edge.from, corner} : Edge{corner, edge.to};
  }
};
/// Computes which of the two new edges a point is outside of; -1 if it is inside both.
struct Assign {
  const Point* points;
  const std::int32_t* labels;
  const std::int32_t* slots;
  const Edge* edges;
  __host__ __device__ std::int32_t operator()(std::int64_t k) const {
    const std::int32_t first = 2 * slots[labels[k]];
    for (std::int32_t label = first; label < first + 2; ++label)
      if (cross(points[k], edges[label]) > 0) return label;
    return -1;
  }
};
struct IsInside {
  __host__ __device__ bool operator()(std::int32_t label) const { return label < 0; }
};

template <class T>
T* address(thrust::device_vector<T>& vector) {
  return thrust::raw_pointer_cast(vector.data());
}

/// Quickhull in rounds, for all edges at the same time: a reduction by key finds the farthest point of each edge; then
/// the points that are still outside are sorted by their new edges.
class ConvexHull final : public Peer {
 public:
  explicit ConvexHull(std::int64_t n) : all_(n) { thrust::tabulate(all_.begin(), all_.end(), Spiral{n}); }

  void issue() override {
    begin();
    while (!points_.empty()) round();
  }
  double result() override { return double(corners_); }

 private:
  /// Sets up the edges between the leftmost and the rightmost point, and the points outside of each.
  void begin() {
    const auto [left, right] = thrust::minmax_element(all_.begin(), all_.end(), LessX{});
    const Point leftmost = *left, rightmost = *right;
    const Edge edges[] = {{leftmost, rightmost}, {rightmost, leftmost}};
    edges_.assign(edges, edges + 2);
    corners_ = 2;
    points_.resize(all_.size());
    labels_.resize(all_.size());
    const auto middle = thrust::copy_if(all_.begin(), all_.end(), points_.begin(), Outside{edges[0]});
    const auto end = thrust::copy_if(all_.begin(), all_.end(), middle, Outside{edges[1]});
    const auto above = middle - points_.begin(), both = end - points_.begin();
    thrust::fill(labels_.begin(), labels_.begin() + above, 0);
    thrust::fill(labels_.begin() + above, labels_.begin() + both, 1);
    points_.resize(both);
    labels_.resize(both);
  }

  void round() {
    const std::int64_t n = std::int64_t(points_.size()), edges = std::int64_t(edges_.size());
    const thrust::counting_iterator<std::int64_t> from_zero(0);
    split_.resize(edges);
    far_.resize(edges);
    const auto distances =
        thrust::make_transform_iterator(from_zero, Distance{address(points_), address(labels_), address(edges_)});
    const auto ends = thrust::reduce_by_key(labels_.begin(), labels_.end(), distances, split_.begin(), far_.begin(),
                                            thrust::equal_to<std::int32_t>(), Farther{});
    const std::int64_t splits = ends.first - split_.begin();
    corners_ += splits;

    slots_.resize(edges);
    const thrust::counting_iterator<std::int32_t> slot(0);
    thrust::scatter(slot, slot + splits, split_.begin(), slots_.begin());
    next_edges_.resize(2 * splits);
    thrust::tabulate(next_edges_.begin(), next_edges_.end(),
                     Split{address(points_), address(edges_), address(split_), address(far_)});
    next_labels_.resize(n);
    thrust::tabulate(next_labels_.begin(), next_labels_.end(),
                     Assign{address(points_), address(labels_), address(slots_), address(next_edges_)});

    const auto outside =
        thrust::remove_if(points_.begin(), points_.end(), next_labels_.begin(), IsInside{}) - points_.begin();
    thrust::remove(next_labels_.begin(), next_labels_.end(), -1);
    points_.resize(outside);
    next_labels_.resize(outside);
    thrust::sort_by_key(next_labels_.begin(), next_labels_.end(), points_.begin());
    labels_.swap(next_labels_);
    edges_.swap(next_edges_);
  }

  thrust::device_vector<Point> all_, points_;
  thrust::device_vector<std::int32_t> labels_, next_labels_, split_, slots_;
  thrust::device_vector<Far> far_;
  thrust::device_vector<Edge> edges_, next_edges_;
  std::int64_t corners_ = 0;
};

}  // namespace

std::unique_ptr<Peer> make_convex_hull(std::int64_t points) { return std::make_unique<ConvexHull>(points); }

}  // namespace bench::cuda
