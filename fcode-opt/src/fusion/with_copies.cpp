#include <algorithm>

#include "choose.h"

namespace fcode_opt {

using letform::Binding;

namespace {

/// Bytes stored and loaded in the time of one flop, as the operation table counts flops. Measured: recomputing a
/// quotient costs as much as storing and loading it, a square root more, four products and sums less.
constexpr int kFlopBytes = 1;

void insert(std::vector<std::uint32_t>& sorted, std::uint32_t node) {
  sorted.insert(std::lower_bound(sorted.begin(), sorted.end(), node), node);
}

}  // namespace

/// Calls visit(set) for each set with a reader of a node, and visit(kNoNumber) for readers in no set.
template <class Visit>
void Partition::for_each_reader(std::uint32_t node, Visit&& visit) const {
  for (std::uint32_t e : edges_out_[node]) {
    const std::uint32_t to = basic_block_.edges[e].to;
    if (!dissolved_[to]) visit(sets_[to]);
    for (std::uint32_t set : copied_to_[to]) visit(set);
  }
}

bool Partition::can_be_copied(std::uint32_t node) const {
  if (basic_block_.nodes[node].role != Node::Role::kKernel || !basic_block_.nodes[node].can_be_repeated) return false;
  const Binding& binding = basic_block_.bindings[node];
  return (dissolved_[node] || !is_epilogue(node)) && !vcode::info(binding.op).can_fault(binding.suffix);
}

/// Whether a set leaves a value, which one of its nodes binds, in memory.
bool Partition::is_left(Var v, std::uint32_t node) const {
  if (dissolved_[node]) return false;
  const std::vector<Var> left = interface(sets_[node]).left;
  return std::find(left.begin(), left.end(), v) != left.end();
}

/// The other sets that read a node; empty if one of them cannot recompute it or if it has readers in no set.
Partition::Nodes Partition::sets_that_read(std::uint32_t node) const {
  Nodes sets;
  if (basic_block_.nodes[node].escapes) return {};
  for (std::uint32_t e : edges_out_[node]) {
    const Edge& edge = basic_block_.edges[e];
    const std::uint32_t set = sets_[edge.to];
    if (dissolved_[edge.to]) continue;
    if (set == kNoNumber || !edge.obstacle.empty() || spaces_[set] != spaces_[sets_[node]] || is_epilogue(edge.to))
      return {};
    if (set != sets_[node] && !copies(set, node)) sets.push_back(set);
  }
  std::sort(sets.begin(), sets.end());
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  return sets;
}

/// A node and the nodes it depends on whose results no set leaves in memory; empty if one of them cannot be copied.
Partition::Nodes Partition::needed_alone(std::uint32_t node) const {
  Nodes needed{node};
  for (std::size_t k = 0; k < needed.size(); ++k) {
    if (!can_be_copied(needed[k])) return {};
    for (Var v : basic_block_.bindings[needed[k]].operands) {
      const std::uint32_t definer = basic_block_.definer(v);
      if (definer == kNoNumber || basic_block_.nodes[definer].role != Node::Role::kKernel || is_left(v, definer))
        continue;
      if (std::find(needed.begin(), needed.end(), definer) == needed.end()) needed.push_back(definer);
    }
  }
  std::sort(needed.begin(), needed.end());
  return needed;
}

/// Bytes that a set moves, plus the cost of its copies in bytes.
int Partition::effort(std::uint32_t set) const {
  if (members_[set].empty()) return 0;
  int bytes = cost(members_[set], copies_[set]).bytes;
  for (std::uint32_t n : copies_[set]) bytes += kFlopBytes * vcode::work_of(basic_block_.bindings[n].op).in_flops();
  return bytes;
}

bool Partition::copy_to_readers(std::uint32_t node) {
  if (dissolved_[node] || !can_be_copied(node)) return false;
  const Nodes readers = sets_that_read(node);
  const Nodes needed = readers.empty() ? Nodes{} : needed_alone(node);
  if (needed.empty()) return false;
  const std::uint32_t own = sets_[node];
  const auto efforts = [&] {
    int sum = effort(own);
    for (std::uint32_t set : readers) sum += effort(set);
    return sum;
  };
  const int before = efforts();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> added;
  for (std::uint32_t set : readers)
    for (std::uint32_t n : needed)
      if (!copies(set, n)) {
        insert(copies_[set], n);
        copied_to_[n].push_back(set);
        added.emplace_back(set, n);
      }
  const Nodes dissolved = dissolve_unread(own, needed);
  if (efforts() < before) return true;
  for (std::uint32_t n : dissolved) {
    insert(members_[own], n);
    sets_[n] = own;
    dissolved_[n] = false;
  }
  for (auto [set, n] : added) {
    std::erase(copies_[set], n);
    std::erase(copied_to_[n], set);
  }
  return false;
}

/// Removes from a set those of `nodes` that all their readers recompute, and returns them.
Partition::Nodes Partition::dissolve_unread(std::uint32_t set, const Nodes& nodes) {
  Nodes dissolved;
  for (auto n = nodes.rbegin(); n != nodes.rend(); ++n) {
    if (sets_[*n] != set) continue;
    bool is_read = basic_block_.nodes[*n].escapes;
    for_each_reader(*n, [&](std::uint32_t reader) { is_read = is_read || !copies(reader, *n); });
    if (is_read) continue;
    std::erase(members_[set], *n);
    sets_[*n] = kNoNumber;
    dissolved_[*n] = true;
    dissolved.push_back(*n);
  }
  return dissolved;
}

Partition with_copies(Partition partition) {
  // Nodes are visited in order, so that a copy may depend on copies.
  for (std::uint32_t n = 0; n < partition.basic_block().size(); ++n) partition.copy_to_readers(n);
  return partition;
}

}  // namespace fcode_opt
