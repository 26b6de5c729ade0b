#include <algorithm>
#include <tuple>

#include "choose.h"
#include "vcode/kernel_rules.h"

namespace fcode_opt {

Partition choose_greedily(const BasicBlock& basic_block) {
  Partition partition(basic_block);
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<std::tuple<int, std::uint32_t, std::uint32_t>> candidates;
    for (auto [a, b] : partition.neighbours())
      if (const int saving = partition.saving(a, b); saving > 0) candidates.emplace_back(-saving, a, b);
    std::sort(candidates.begin(), candidates.end());
    for (auto [saving, a, b] : candidates) {
      // A set that has become part of another set is considered in the next round.
      if (partition.members(a).empty() || partition.members(b).empty() || !partition.obstacle(a, b).empty()) continue;
      partition.unite(a, b);
      changed = true;
    }
  }
  return partition;
}

}  // namespace fcode_opt
