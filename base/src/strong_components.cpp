#include "base/strong_components.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace base {
namespace {

/// The algorithm of R. Tarjan, "Depth-first search and linear graph algorithms" (1972), with an explicit stack: chains
/// of calls can be as long as the program.
class Search {
 public:
  explicit Search(const std::vector<std::vector<std::uint32_t>>& successors)
      : successors_(successors), nodes_(successors.size()) {}

  void run(std::uint32_t root) {
    VC_CHECK(root < nodes_.size());
    if (nodes_[root].number != 0) return;
    std::vector<Visit> visits;
    discover(root, visits);
    while (!visits.empty()) {
      auto [node, next] = visits.back();
      if (next < successors_[node].size()) {
        ++visits.back().next;
        const std::uint32_t successor = successors_[node][next];
        if (nodes_[successor].number == 0)
          discover(successor, visits);
        else if (nodes_[successor].is_open)
          nodes_[node].lowest = std::min(nodes_[node].lowest, nodes_[successor].number);
        continue;
      }
      visits.pop_back();
      if (!visits.empty()) {
        const std::uint32_t before = visits.back().node;
        nodes_[before].lowest = std::min(nodes_[before].lowest, nodes_[node].lowest);
      }
      if (nodes_[node].lowest == nodes_[node].number) close(node);
    }
  }

  std::vector<std::vector<std::uint32_t>> take_components() { return std::move(components_); }

 private:
  struct Node {
    std::uint32_t number = 0;  ///< order of discovery, from 1
    std::uint32_t lowest = 0;  ///< smallest number known to be reachable in the same component
    bool is_open = false;
  };
  struct Visit {
    std::uint32_t node;
    std::size_t next = 0;  ///< next of its successors to visit
  };

  void discover(std::uint32_t node, std::vector<Visit>& visits) {
    nodes_[node] = {++count_, count_, true};
    open_.push_back(node);
    visits.push_back({node});
  }

  void close(std::uint32_t root) {
    std::vector<std::uint32_t> component;
    std::uint32_t member;
    do {
      member = open_.back();
      open_.pop_back();
      nodes_[member].is_open = false;
      component.push_back(member);
    } while (member != root);
    components_.push_back(std::move(component));
  }

  const std::vector<std::vector<std::uint32_t>>& successors_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> open_;
  std::uint32_t count_ = 0;
  std::vector<std::vector<std::uint32_t>> components_;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> strong_components(const std::vector<std::vector<std::uint32_t>>& successors,
                                                          const std::vector<std::uint32_t>& roots) {
  Search search(successors);
  for (std::uint32_t root : roots) search.run(root);
  return search.take_components();
}

}  // namespace base
