#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "hashed_data.h"
#include "huge_buffer.h"

namespace program_peers {

/// A graph in compressed rows: the edges of each vertex are consecutive.
struct Graph {
  Buffer<std::int32_t> starts, targets;

  std::int64_t vertices() const { return starts.size() - 1; }
};

/// The graphs of graphs.nesl.
inline Graph make_graph(std::int64_t n, std::int64_t kind) {
  std::vector<std::int32_t> starts{0}, targets;
  const auto side = std::int64_t(std::sqrt(double(n)) + 1e-9), vertices = kind == 0 ? side * side : n;
  for (std::int64_t v = 0; v < vertices; ++v) {
    if (kind == 0) {
      const std::int64_t i = v / side, j = v % side;
      if (i > 0) targets.push_back(std::int32_t(v - side));
      if (i < side - 1) targets.push_back(std::int32_t(v + side));
      if (j > 0) targets.push_back(std::int32_t(v - 1));
      if (j < side - 1) targets.push_back(std::int32_t(v + 1));
    } else if (kind == 1) {
      for (std::int64_t k = 0; k < 8; ++k) targets.push_back(below(std::int32_t(n), 8 * v + k));
    } else if (kind == 3) {
      if (v > 0) targets.push_back(0);
      for (std::int64_t w = 1; v == 0 && w < n; ++w) targets.push_back(std::int32_t(w));
    } else if (kind == 4) {
      if (v > 0) targets.push_back(std::int32_t(v - 1));
      if (v < n - 1) targets.push_back(std::int32_t(v + 1));
    } else {
      const std::int64_t degree = 1 + 1024 / (1 + below(1024, v));
      for (std::int64_t k = 0; k < degree; ++k) {
        const std::int32_t most = below(std::int32_t(n), 997 * v + k) + 1;
        targets.push_back(below(most, 991 * v - k));
      }
    }
    starts.push_back(std::int32_t(targets.size()));
  }
  return {Buffer<std::int32_t>(starts.size(), [&](std::int64_t i) { return starts[i]; }),
          Buffer<std::int32_t>(targets.size(), [&](std::int64_t i) { return targets[i]; })};
}

struct Edge {
  std::int32_t u, v;
};

/// The edges from a vertex to one with a larger number.
inline std::vector<Edge> upward_edges(std::int64_t n, std::int64_t kind) {
  const Graph graph = make_graph(n, kind);
  std::vector<Edge> edges;
  for (std::int64_t v = 0; v < graph.vertices(); ++v)
    for (std::int32_t e = graph.starts[v]; e < graph.starts[v + 1]; ++e)
      if (v < graph.targets[e]) edges.push_back({std::int32_t(v), graph.targets[e]});
  return edges;
}

}  // namespace program_peers
