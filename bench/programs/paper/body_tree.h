#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "../frame/huge_buffer.h"

namespace program_peers {

/// A body or a cell, in a space of D dimensions: position and mass.
template <int D>
struct Body {
  std::array<double, D> place;
  double mass;
};

/// The tree of cells of Barnes and Hut. A cell has up to 2^D children, which are consecutive.
template <int D>
class BodyTree {
 public:
  static constexpr int kChildren = 1 << D;

  /// Allocates memory for a tree of n bodies.
  explicit BodyTree(std::int64_t n) : cells_(std::size_t(4 * n + kChildren)) {}

  /// Builds the tree of bodies in the unit cell, and sorts the bodies by cell.
  void build(Body<D>* bodies, std::int64_t n) {
    used_ = 1;
    Corner corner{};
    make(0, bodies, n, corner, 1.0, 20);
  }

  /// Number of cells that force() visits.
  std::int64_t cells_met(const std::array<double, D>& place) const { return count(0, place, 1.0); }

  /// The force on a body at this position. Cells with a side below half their distance act as one mass.
  std::array<double, D> force(const std::array<double, D>& place) const {
    std::array<double, D> total{};
    walk(0, place, 1.0, total);
    return total;
  }

 private:
  using Corner = std::array<double, D>;

  struct Cell {
    Body<D> whole;
    std::int32_t first, count;  ///< the children
  };

  void make(std::int32_t number, Body<D>* bodies, std::int64_t n, const Corner& corner, double side, int depth) {
    Cell& cell = cells_[number];
    cell = {};
    for (std::int64_t i = 0; i < n; ++i) {
      for (int d = 0; d < D; ++d) cell.whole.place[d] += bodies[i].mass * bodies[i].place[d];
      cell.whole.mass += bodies[i].mass;
    }
    for (int d = 0; d < D; ++d) cell.whole.place[d] /= cell.whole.mass;
    if (n == 1 || depth == 0) return;
    const double half = side / 2;
    // Partitions in place along one axis after the other.
    std::array<std::int64_t, kChildren + 1> ends{};
    ends[kChildren] = n;
    for (int d = D - 1; d >= 0; --d) {
      const int stride = 1 << d;
      for (int k = 0; k < kChildren; k += 2 * stride) {
        std::int64_t left = ends[k];
        const double middle = corner[d] + half;
        for (std::int64_t i = left; i < ends[k + 2 * stride]; ++i)
          if (bodies[i].place[d] < middle) std::swap(bodies[i], bodies[left++]);
        ends[k + stride] = left;
      }
    }
    cell.first = used_;
    for (int k = 0; k < kChildren; ++k) cell.count += ends[k + 1] > ends[k];
    used_ += cell.count;
    std::int32_t child = cell.first;
    for (int k = 0; k < kChildren; ++k) {
      if (ends[k + 1] == ends[k]) continue;
      Corner inner = corner;
      for (int d = 0; d < D; ++d) inner[d] += ((k >> d) & 1) * half;
      make(child++, bodies + ends[k], ends[k + 1] - ends[k], inner, half, depth - 1);
    }
  }

  std::int64_t count(std::int32_t number, const std::array<double, D>& place, double side) const {
    const Cell& cell = cells_[number];
    double square = 0;
    for (int d = 0; d < D; ++d) square += (cell.whole.place[d] - place[d]) * (cell.whole.place[d] - place[d]);
    std::int64_t met = 1;
    if (side * side < 0.25 * square) return met;
    for (std::int32_t child = cell.first; child < cell.first + cell.count; ++child)
      met += count(child, place, side / 2);
    return met;
  }

  void walk(std::int32_t number, const std::array<double, D>& place, double side, std::array<double, D>& total) const {
    const Cell& cell = cells_[number];
    std::array<double, D> delta;
    double square = 0;
    for (int d = 0; d < D; ++d) {
      delta[d] = cell.whole.place[d] - place[d];
      square += delta[d] * delta[d];
    }
    if (cell.count == 0 || side * side < 0.25 * square) {
      const double softened = square + 1e-6, strength = cell.whole.mass / (softened * std::sqrt(softened));
      for (int d = 0; d < D; ++d) total[d] += strength * delta[d];
      return;
    }
    for (std::int32_t child = cell.first; child < cell.first + cell.count; ++child) walk(child, place, side / 2, total);
  }

  Buffer<Cell> cells_;
  std::int32_t used_ = 0;
};

}  // namespace program_peers
