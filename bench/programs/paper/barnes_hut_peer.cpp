#include <atomic>

#include "../frame/peer_run.h"
#include "body_tree.h"

namespace program_peers {
namespace {

/// Computes the forces on all bodies. One thread builds the tree; all threads walk it, each for neighbouring bodies.
template <int D>
void gravitation(Run& run) {
  const std::int64_t n = run.n();
  const Buffer<Body<D>> bodies(n, [](std::int64_t i) {
    Body<D> body{};
    for (int d = 0; d < D; ++d) body.place[d] = unit(D * i + d);
    body.mass = 1.0 + double(i % 4);
    return body;
  });
  const Buffer<Body<D>> sorted(n);
  const Buffer<std::array<double, D>> forces(n);
  BodyTree<D> tree(n);
  run.time([&] {
    std::copy(bodies.begin(), bodies.end(), sorted.begin());
    tree.build(sorted.data(), n);
    run.team().for_chunks(n, 256, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) forces[i] = tree.force(sorted[i].place);
    });
  });
  double total = 0;
  for (const auto& force : forces)
    for (const double part : force) total += std::fabs(part);
  run.result(total);
  // Bytes: the bodies, read and written at each level of the tree. Operations: for each visited cell a distance, and
  // mostly a force.
  std::int64_t met = 0;
  for (const Body<D>& body : sorted) met += tree.cells_met(body.place);
  run.cost(n * sizeof(Body<D>) * 2 * std::log2(double(n)) / D, double(met) * (5.0 * D + 6));
  run.report();
}

}  // namespace
}  // namespace program_peers

PROGRAM_PEER(barnes_hut) { gravitation<2>(run); }
PROGRAM_PEER(octree) { gravitation<3>(run); }
