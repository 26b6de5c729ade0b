#include <algorithm>

#include "choose.h"
#include "vcode/kernel_rules.h"

namespace fcode_opt {

Partition choose_trees(const BasicBlock& basic_block) {
  Partition partition(basic_block);
  std::vector<std::uint32_t> readers(basic_block.size());
  for (const Edge& edge : basic_block.edges) ++readers[edge.from];
  // Edges are visited from the last to the first, so that a tree grows from its root.
  for (std::size_t e = basic_block.edges.size(); e-- > 0;) {
    const Edge& edge = basic_block.edges[e];
    const std::uint32_t from = partition.set_of(edge.from), to = partition.set_of(edge.to);
    if (!edge.obstacle.empty() || edge.value == letform::kNoVar || from == kNoNumber || to == kNoNumber || from == to)
      continue;
    if (readers[edge.from] != 1 || basic_block.nodes[edge.from].escapes) continue;
    if (partition.obstacle(to, from).empty()) partition.unite(to, from);
  }
  return partition;
}

}  // namespace fcode_opt
