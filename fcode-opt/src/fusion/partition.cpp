#include "partition.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"
#include "vcode/kernel_rules.h"

namespace fcode_opt {

using letform::Binding;
using vcode::Reader;

Partition::Partition(const BasicBlock& basic_block)
    : basic_block_(basic_block),
      sets_(basic_block.size(), kNoNumber),
      members_(basic_block.size()),
      spaces_(basic_block.size(), kNoNumber),
      copies_(basic_block.size()),
      copied_to_(basic_block.size()),
      dissolved_(basic_block.size()),
      edges_out_(basic_block.size()),
      mark_(basic_block.size()) {
  for (std::uint32_t n = 0; n < basic_block.size(); ++n) {
    if (basic_block.nodes[n].role != Node::Role::kKernel) continue;
    sets_[n] = n;
    members_[n] = {n};
    spaces_[n] = basic_block.nodes[n].space;
  }
  for (std::uint32_t e = 0; e < basic_block.edges.size(); ++e) edges_out_[basic_block.edges[e].from].push_back(e);
}

bool Partition::copies(std::uint32_t set, std::uint32_t node) const {
  return set != kNoNumber && std::binary_search(copies_[set].begin(), copies_[set].end(), node);
}

Partition::Interface Partition::interface(const Nodes& members, const Nodes& copies) const {
  VC_CHECK(!members.empty());
  Interface interface;
  auto is_member = [&](std::uint32_t node) { return std::binary_search(members.begin(), members.end(), node); };
  auto inside = [&](std::uint32_t node) {
    return is_member(node) || std::binary_search(copies.begin(), copies.end(), node);
  };
  auto add = [](std::vector<Var>& to, Var v) {
    if (std::find(to.begin(), to.end(), v) == to.end()) to.push_back(v);
  };
  Nodes nodes;
  std::merge(members.begin(), members.end(), copies.begin(), copies.end(), std::back_inserter(nodes));
  for (std::uint32_t n : nodes) {
    const Binding& binding = basic_block_.bindings[n];
    for (std::size_t k = 0; k < binding.operands.size(); ++k) {
      const Var v = binding.operands[k];
      const std::uint32_t definer = basic_block_.definer(v);
      const bool is_free = definer != kNoNumber && basic_block_.nodes[definer].role == Node::Role::kFree;
      const int number = static_cast<int>(k);
      if (vcode::reader_of(binding.op, number) == Reader::kDescriptor || !vcode::goes_over(binding.op, number))
        continue;
      if (!is_free && (definer == kNoNumber || !inside(definer))) add(interface.read, v);
    }
    for (Var v : binding.results) {
      if (!is_member(n)) continue;
      bool leaves = basic_block_.nodes[n].escapes;
      for (std::uint32_t e : edges_out_[n]) {
        const auto [from, to, value, obstacle] = basic_block_.edges[e];
        if (value != v) continue;
        leaves = leaves || (!dissolved_[to] && !is_member(to) && !this->copies(sets_[to], n));
        for (std::uint32_t set : copied_to_[to]) leaves = leaves || (set != sets_[n] && !this->copies(set, n));
      }
      if (leaves) interface.left.push_back(v);
    }
  }
  // A kernel needs a result, also a kernel that is kept only because it may fault.
  if (interface.left.empty()) interface.left.push_back(basic_block_.bindings[members.back()].results[0]);
  return interface;
}

Cost Partition::cost(const Nodes& members, const Nodes& copies) const {
  const Interface interface = this->interface(members, copies);
  Cost cost{0, 1, 0};
  for (Var v : interface.read) cost.bytes += element_bytes(basic_block_.function, v);
  for (Var v : interface.left)
    if (!vcode::is_reduction(basic_block_.nodes[basic_block_.definer(v)].producer)) {
      const int bytes = element_bytes(basic_block_.function, v);
      cost.bytes += bytes;
      cost.vectors += bytes > 0;
    }
  return cost;
}

bool Partition::is_kernel(std::uint32_t set) const {
  const Nodes& members = members_[set];
  return members.size() + copies_[set].size() > 1 ||
         (members.size() == 1 && basic_block_.nodes[members[0]].reads_spread);
}

Cost Partition::total() const {
  Cost total;
  for (std::uint32_t set = 0; set < basic_block_.size(); ++set) {
    if (members_[set].empty()) continue;
    const Cost more = cost(members_[set], copies_[set]);
    total.bytes += more.bytes;
    total.kernels += more.kernels;
    total.vectors += more.vectors;
  }
  return total;
}

int Partition::saving(std::uint32_t a, std::uint32_t b) const {
  std::vector<std::uint32_t> both;
  std::merge(members_[a].begin(), members_[a].end(), members_[b].begin(), members_[b].end(), std::back_inserter(both));
  return cost(members_[a], {}).bytes + cost(members_[b], {}).bytes - cost(both, {}).bytes;
}

std::string_view Partition::obstacle(std::uint32_t a, std::uint32_t b) const {
  if (const std::string_view reason = space_obstacle(a, b); !reason.empty()) return reason;
  for (auto [x, y] : {std::pair(a, b), std::pair(b, a)})
    for (std::uint32_t n : members_[x]) {
      for (std::uint32_t e : edges_out_[n])
        if (sets_[basic_block_.edges[e].to] == y && !basic_block_.edges[e].obstacle.empty())
          return basic_block_.edges[e].obstacle;
      for (std::uint32_t m : members_[y])
        if (!basic_block_.waits_for[n].empty() && basic_block_.waits_for[n][m])
          return vcode::obstacle(vcode::Producer::kScan, Reader::kScan);
    }
  if (is_reached_around(a, b) || is_reached_around(b, a))
    return "something in between needs the one and is needed by the other";
  return {};
}

std::string_view Partition::space_obstacle(std::uint32_t a, std::uint32_t b) const {
  if (spaces_[a] == spaces_[b] || absorbs(a, b) || absorbs(b, a)) return {};
  for (auto [x, y] : {std::pair(a, b), std::pair(b, a)})
    for (std::uint32_t n : members_[x])
      for (std::uint32_t e : edges_out_[n]) {
        const Edge& edge = basic_block_.edges[e];
        if (sets_[edge.to] == y && edge.obstacle.empty() && basic_block_.nodes[edge.to].reads_spread)
          return "what DIST and INDEX spread over segments is no vector that an operation behind a reduction can read";
      }
  return "they go over different index spaces";
}

/// Whether all operations of set b can be epilogues in set a: elementwise, segment by segment, on results of reductions
/// of set a or on each other.
bool Partition::absorbs(std::uint32_t a, std::uint32_t b) const {
  return std::all_of(members_[b].begin(), members_[b].end(), [&](std::uint32_t n) {
    const Node& node = basic_block_.nodes[n];
    const std::vector<Var>& operands = basic_block_.bindings[n].operands;
    return node.can_be_epilogue() && std::any_of(operands.begin(), operands.end(), [&](Var v) {
             const std::uint32_t definer = basic_block_.definer(v);
             if (definer == kNoNumber || (sets_[definer] != a && sets_[definer] != b)) return false;
             return sets_[definer] == b || basic_block_.nodes[definer].segments == node.space || is_epilogue(definer);
           });
  });
}

/// Whether a path leads from one set to another through nodes that are in neither.
bool Partition::is_reached_around(std::uint32_t from, std::uint32_t to) const {
  ++epoch_;
  std::vector<std::uint32_t> waiting;
  auto visit_node = [&](std::uint32_t n) {
    if (mark_[n] == epoch_) return;
    const std::uint32_t set = sets_[n];
    if (set == kNoNumber) {
      mark_[n] = epoch_;
      waiting.push_back(n);
    } else {
      for (std::uint32_t m : members_[set])
        if (mark_[m] != epoch_) {
          mark_[m] = epoch_;
          waiting.push_back(m);
        }
    }
  };
  for (std::uint32_t n : members_[from])
    for (std::uint32_t e : edges_out_[n]) {
      const std::uint32_t next = basic_block_.edges[e].to;
      if (sets_[next] == kNoNumber || (sets_[next] != from && sets_[next] != to)) visit_node(next);
    }
  while (!waiting.empty()) {
    const std::uint32_t n = waiting.back();
    waiting.pop_back();
    for (std::uint32_t e : edges_out_[n]) {
      const std::uint32_t next = basic_block_.edges[e].to;
      if (sets_[next] == to) return true;
      if (sets_[next] == kNoNumber || sets_[next] != from) visit_node(next);
    }
  }
  return false;
}

void Partition::unite(std::uint32_t a, std::uint32_t b) {
  VC_CHECK(a != b && obstacle(a, b).empty());
  VC_CHECK(copies_[a].empty() && copies_[b].empty());
  std::vector<std::uint32_t> both;
  std::merge(members_[a].begin(), members_[a].end(), members_[b].begin(), members_[b].end(), std::back_inserter(both));
  if (spaces_[a] != spaces_[b] && absorbs(b, a)) spaces_[a] = spaces_[b];
  for (std::uint32_t n : members_[b]) sets_[n] = a;
  members_[a] = std::move(both);
  members_[b].clear();
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> Partition::neighbours() const {
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  auto add = [&](std::uint32_t m, std::uint32_t n) {
    const std::uint32_t a = sets_[m], b = sets_[n];
    if (a != b && a != kNoNumber && b != kNoNumber && space_obstacle(a, b).empty()) pairs.insert(std::minmax(a, b));
  };
  for (const Edge& edge : basic_block_.edges) add(edge.from, edge.to);
  std::map<Var, std::uint32_t> reader;
  for (std::uint32_t n = 0; n < basic_block_.size(); ++n) {
    if (sets_[n] == kNoNumber) continue;
    for (Var v : basic_block_.bindings[n].operands) {
      if (basic_block_.function.values[v].kind == vcode::Kind::kSegdes) continue;
      auto [it, is_new] = reader.try_emplace(v, n);
      if (!is_new) add(it->second, n);
      it->second = n;
    }
  }
  return {pairs.begin(), pairs.end()};
}

}  // namespace fcode_opt
