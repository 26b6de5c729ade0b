#include "partition.h"

#include <algorithm>
#include <map>
#include <set>

namespace fcode_opt {

using letform::Binding;
using vcode::Reader;

namespace {

/// So many bytes are moved to memory and back in the time that an operation takes for a flop of its row. Measured: to
/// compute a quotient again costs what storing and loading it does, a root more, four products and sums less.
constexpr int kFlopBytes = 1;

void insert(std::vector<std::uint32_t>& sorted, std::uint32_t node) {
  sorted.insert(std::lower_bound(sorted.begin(), sorted.end(), node), node);
}

}  // namespace

Partition::Partition(const Region& region)
    : region_(region),
      sets_(region.size(), kNone),
      members_(region.size()),
      spaces_(region.size(), kNone),
      copies_(region.size()),
      copied_to_(region.size()),
      dissolved_(region.size()),
      edges_out_(region.size()),
      mark_(region.size()) {
  for (std::uint32_t n = 0; n < region.size(); ++n) {
    if (region.nodes[n].role != Node::Role::kKernel) continue;
    sets_[n] = n;
    members_[n] = {n};
    spaces_[n] = region.nodes[n].space;
  }
  for (std::uint32_t e = 0; e < region.edges.size(); ++e) edges_out_[region.edges[e].from].push_back(e);
}

bool Partition::copies(std::uint32_t set, std::uint32_t node) const {
  return set != kNone && std::binary_search(copies_[set].begin(), copies_[set].end(), node);
}

/// Calls visit(set) for each set that computes what reads a node, kNone for what is in no set.
template <class Visit>
void Partition::for_each_reader(std::uint32_t node, Visit&& visit) const {
  for (std::uint32_t e : edges_out_[node]) {
    const std::uint32_t to = region_.edges[e].to;
    if (!dissolved_[to]) visit(sets_[to]);
    for (std::uint32_t set : copied_to_[to]) visit(set);
  }
}

Partition::Interface Partition::interface(const Nodes& members, const Nodes& copies) const {
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
    const Binding& binding = region_.bindings[n];
    for (std::size_t k = 0; k < binding.operands.size(); ++k) {
      const Var v = binding.operands[k];
      const std::uint32_t definer = region_.definer(v);
      const bool is_free = definer != kNone && region_.nodes[definer].role == Node::Role::kFree;
      const int number = static_cast<int>(k);
      if (vcode::reader_of(binding.op, number) == Reader::kDescriptor || !vcode::goes_over(binding.op, number))
        continue;
      if (!is_free && (definer == kNone || !inside(definer))) add(interface.read, v);
    }
    for (Var v : binding.results) {
      if (!is_member(n)) continue;
      bool leaves = region_.nodes[n].escapes;
      for (std::uint32_t e : edges_out_[n]) {
        const auto [from, to, value, obstacle] = region_.edges[e];
        if (value != v) continue;
        leaves = leaves || (!dissolved_[to] && !is_member(to) && !this->copies(sets_[to], n));
        for (std::uint32_t set : copied_to_[to]) leaves = leaves || (set != sets_[n] && !this->copies(set, n));
      }
      if (leaves) interface.left.push_back(v);
    }
  }
  // What only fails or not must leave something, too.
  if (interface.left.empty()) interface.left.push_back(region_.bindings[members.back()].results[0]);
  return interface;
}

Cost Partition::cost(const Nodes& members, const Nodes& copies) const {
  const Interface interface = this->interface(members, copies);
  Cost cost{0, 1};
  for (Var v : interface.read) cost.bytes += element_bytes(region_.function, v);
  for (Var v : interface.left)
    if (region_.nodes[region_.definer(v)].producer != vcode::Producer::kReduce)
      cost.bytes += element_bytes(region_.function, v);
  return cost;
}

bool Partition::is_kernel(std::uint32_t set) const {
  const Nodes& members = members_[set];
  return members.size() + copies_[set].size() > 1 || (members.size() == 1 && region_.nodes[members[0]].reads_spread);
}

Cost Partition::total() const {
  Cost total;
  for (std::uint32_t set = 0; set < region_.size(); ++set) {
    if (members_[set].empty()) continue;
    const Cost more = cost(members_[set], copies_[set]);
    total.bytes += more.bytes;
    total.kernels += more.kernels;
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
        if (sets_[region_.edges[e].to] == y && !region_.edges[e].obstacle.empty()) return region_.edges[e].obstacle;
      for (std::uint32_t m : members_[y])
        if (!region_.waits_for[n].empty() && region_.waits_for[n][m])
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
        const Edge& edge = region_.edges[e];
        if (sets_[edge.to] == y && edge.obstacle.empty() && region_.nodes[edge.to].reads_spread)
          return "what DIST and INDEX spread over segments is no vector that an operation behind a reduction can read";
      }
  return "they go over different index spaces";
}

/// Whether all operations of set b can be epilogues in set a: they work on results of its reductions, segment by
/// segment, or of each other.
bool Partition::absorbs(std::uint32_t a, std::uint32_t b) const {
  return std::all_of(members_[b].begin(), members_[b].end(), [&](std::uint32_t n) {
    const Node& node = region_.nodes[n];
    const std::vector<Var>& operands = region_.bindings[n].operands;
    return node.can_be_epilogue() && std::any_of(operands.begin(), operands.end(), [&](Var v) {
             const std::uint32_t definer = region_.definer(v);
             if (definer == kNone || (sets_[definer] != a && sets_[definer] != b)) return false;
             return sets_[definer] == b || region_.nodes[definer].segments == node.space || is_epilogue(definer);
           });
  });
}

/// Whether a way leads from one set to another through nodes that are in neither.
bool Partition::is_reached_around(std::uint32_t from, std::uint32_t to) const {
  ++epoch_;
  std::vector<std::uint32_t> waiting;
  auto visit_node = [&](std::uint32_t n) {
    if (mark_[n] == epoch_) return;
    const std::uint32_t set = sets_[n];
    if (set == kNone) {
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
      const std::uint32_t next = region_.edges[e].to;
      if (sets_[next] == kNone || (sets_[next] != from && sets_[next] != to)) visit_node(next);
    }
  while (!waiting.empty()) {
    const std::uint32_t n = waiting.back();
    waiting.pop_back();
    for (std::uint32_t e : edges_out_[n]) {
      const std::uint32_t next = region_.edges[e].to;
      if (sets_[next] == to) return true;
      if (sets_[next] == kNone || sets_[next] != from) visit_node(next);
    }
  }
  return false;
}

void Partition::unite(std::uint32_t a, std::uint32_t b) {
  std::vector<std::uint32_t> both;
  std::merge(members_[a].begin(), members_[a].end(), members_[b].begin(), members_[b].end(), std::back_inserter(both));
  if (spaces_[a] != spaces_[b] && absorbs(b, a)) spaces_[a] = spaces_[b];
  for (std::uint32_t n : members_[b]) sets_[n] = a;
  members_[a] = std::move(both);
  members_[b].clear();
}

bool Partition::can_be_copied(std::uint32_t node) const {
  if (region_.nodes[node].role != Node::Role::kKernel || region_.nodes[node].producer != vcode::Producer::kMap)
    return false;
  const Binding& binding = region_.bindings[node];
  return (dissolved_[node] || !is_epilogue(node)) && !letform::can_fault(binding.op, binding.suffix);
}

/// Whether a set leaves a value that one of its nodes binds.
bool Partition::is_left(Var v, std::uint32_t node) const {
  if (dissolved_[node]) return false;
  const std::vector<Var> left = interface(sets_[node]).left;
  return std::find(left.begin(), left.end(), v) != left.end();
}

/// The other sets that read a node, if all of them can compute it themselves and nobody else needs it; else none.
Partition::Nodes Partition::sets_that_read(std::uint32_t node) const {
  Nodes sets;
  if (region_.nodes[node].escapes) return {};
  for (std::uint32_t e : edges_out_[node]) {
    const Edge& edge = region_.edges[e];
    const std::uint32_t set = sets_[edge.to];
    if (dissolved_[edge.to]) continue;
    if (set == kNone || !edge.obstacle.empty() || spaces_[set] != spaces_[sets_[node]] || is_epilogue(edge.to))
      return {};
    if (set != sets_[node] && !copies(set, node)) sets.push_back(set);
  }
  std::sort(sets.begin(), sets.end());
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  return sets;
}

/// A node, and those before it that no set leaves for it; nothing if one of them cannot be copied.
Partition::Nodes Partition::needed_alone(std::uint32_t node) const {
  Nodes needed{node};
  for (std::size_t k = 0; k < needed.size(); ++k) {
    if (!can_be_copied(needed[k])) return {};
    for (Var v : region_.bindings[needed[k]].operands) {
      const std::uint32_t definer = region_.definer(v);
      if (definer == kNone || region_.nodes[definer].role != Node::Role::kKernel || is_left(v, definer)) continue;
      if (std::find(needed.begin(), needed.end(), definer) == needed.end()) needed.push_back(definer);
    }
  }
  std::sort(needed.begin(), needed.end());
  return needed;
}

/// The bytes that a set moves, and what it computes again as so many bytes.
int Partition::effort(std::uint32_t set) const {
  if (members_[set].empty()) return 0;
  int bytes = cost(members_[set], copies_[set]).bytes;
  for (std::uint32_t n : copies_[set]) bytes += kFlopBytes * vcode::info(region_.bindings[n].op).flops;
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

/// Takes those nodes out of a set that nobody there needs any more, and returns them.
Partition::Nodes Partition::dissolve_unread(std::uint32_t set, const Nodes& nodes) {
  Nodes dissolved;
  for (auto n = nodes.rbegin(); n != nodes.rend(); ++n) {
    if (sets_[*n] != set) continue;
    bool is_read = region_.nodes[*n].escapes;
    for_each_reader(*n, [&](std::uint32_t reader) { is_read = is_read || !copies(reader, *n); });
    if (is_read) continue;
    std::erase(members_[set], *n);
    sets_[*n] = kNone;
    dissolved_[*n] = true;
    dissolved.push_back(*n);
  }
  return dissolved;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> Partition::neighbours() const {
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  auto add = [&](std::uint32_t m, std::uint32_t n) {
    const std::uint32_t a = sets_[m], b = sets_[n];
    if (a != b && a != kNone && b != kNone && space_obstacle(a, b).empty()) pairs.insert(std::minmax(a, b));
  };
  for (const Edge& edge : region_.edges) add(edge.from, edge.to);
  std::map<Var, std::uint32_t> reader;
  for (std::uint32_t n = 0; n < region_.size(); ++n) {
    if (sets_[n] == kNone) continue;
    for (Var v : region_.bindings[n].operands) {
      if (region_.function.values[v].kind == vcode::Kind::kSegdes) continue;
      auto [it, is_new] = reader.try_emplace(v, n);
      if (!is_new) add(it->second, n);
      it->second = n;
    }
  }
  return {pairs.begin(), pairs.end()};
}

}  // namespace fcode_opt
