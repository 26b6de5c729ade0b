#include <algorithm>
#include <map>

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

bool Partition::copy_to_readers(std::uint32_t own, const Nodes& nodes) {
  Nodes readers, copied;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> added;
  for (std::uint32_t node : nodes) {
    if (dissolved_[node] || !can_be_copied(node)) continue;
    const Nodes of_node = sets_that_read(node), needed = of_node.empty() ? Nodes{} : needed_alone(node);
    for (std::uint32_t set : of_node)
      for (std::uint32_t n : needed) added.emplace_back(set, n);
    if (needed.empty()) continue;
    readers.insert(readers.end(), of_node.begin(), of_node.end());
    copied.insert(copied.end(), needed.begin(), needed.end());
  }
  const auto sort = [](auto& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  sort(readers), sort(copied), sort(added);
  std::erase_if(added, [&](const auto& copy) { return copies(copy.first, copy.second); });
  if (added.empty()) return false;
  const auto efforts = [&] {
    int sum = effort(own);
    for (std::uint32_t set : readers) sum += effort(set);
    return sum;
  };
  const int before = efforts();
  for (auto [set, n] : added) {
    insert(copies_[set], n);
    copied_to_[n].push_back(set);
  }
  const Nodes dissolved = dissolve_unread(own, copied);
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

/// Copies all that one set reads of another into it, if that costs less together, as values that are made from the same
/// operands are.
void Partition::copy_together(std::uint32_t own) {
  std::map<std::uint32_t, Nodes> read_by;
  for (std::uint32_t node : members_[own])
    if (can_be_copied(node))
      for (std::uint32_t set : sets_that_read(node)) read_by[set].push_back(node);
  for (const auto& [set, nodes] : read_by)
    if (nodes.size() > 1) copy_to_readers(own, nodes);
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
  for (std::uint32_t n = 0; n < partition.basic_block().size(); ++n)
    if (const std::uint32_t set = partition.set_of(n); set != kNoNumber) partition.copy_to_readers(set, {n});
  for (std::uint32_t set = 0; set < partition.basic_block().size(); ++set) partition.copy_together(set);
  return partition;
}

}  // namespace fcode_opt
