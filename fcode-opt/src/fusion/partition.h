#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "region.h"

namespace fcode_opt {

/// The cost of a set of kernels, per element of their index spaces.
struct Cost {
  int bytes = 0;    ///< loaded and stored: the vectors that each kernel reads and leaves
  int kernels = 0;  ///< traversals
  friend auto operator<=>(const Cost&, const Cost&) = default;  // NOLINT(modernize-use-nullptr): compares with 0
};

/// A choice of kernels for a region: its kernel nodes in disjoint sets that can run one after the other.
class Partition {
 public:
  /// Each kernel node is a set of its own.
  explicit Partition(const Region& region);

  const Region& region() const { return region_; }
  /// Which set a kernel node is in; kNoNumber for other nodes.
  std::uint32_t set_of(std::uint32_t node) const { return sets_[node]; }
  /// Of a kernel node: whether it goes over the segments of a reduction in its set.
  bool is_epilogue(std::uint32_t node) const {
    VC_CHECK(sets_[node] != kNoNumber);
    return region_.nodes[node].space != spaces_[sets_[node]];
  }
  const std::vector<std::uint32_t>& members(std::uint32_t set) const { return members_[set]; }
  /// Nodes of other sets that this one computes again, in order.
  const std::vector<std::uint32_t>& copies(std::uint32_t set) const { return copies_[set]; }
  bool copies(std::uint32_t set, std::uint32_t node) const;
  const std::vector<std::uint32_t>& sets_with_copy(std::uint32_t node) const { return copied_to_[node]; }
  /// Of a kernel node: whether all its readers recompute it. The node is in no set then.
  bool is_dissolved(std::uint32_t node) const { return dissolved_[node]; }

  /// Whether a set becomes a kernel: one of several operations, or of one operation that reads a DIST or an INDEX.
  bool is_kernel(std::uint32_t set) const;
  Cost total() const;
  /// What uniting two sets saves in bytes.
  int saving(std::uint32_t a, std::uint32_t b) const;
  /// Why two sets cannot be one; empty if they can.
  std::string_view obstacle(std::uint32_t a, std::uint32_t b) const;
  /// Unites two sets without obstacle; `a` is the number of the union.
  void unite(std::uint32_t a, std::uint32_t b);
  /// Copies `node`, and the nodes before it whose results no set leaves in memory, into every other set that reads it,
  /// if loading the operands and recomputing costs less than storing and loading. Returns whether it has. Only after
  /// the last unite().
  bool copy_to_readers(std::uint32_t node);
  /// Sets that exchange a value or read the same vector element by element.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> neighbours() const;

  /// Vectors a set reads element by element, and values it must leave.
  struct Interface {
    std::vector<Var> read, left;
  };
  Interface interface(std::uint32_t set) const { return interface(members_[set], copies_[set]); }

 private:
  using Nodes = std::vector<std::uint32_t>;

  Interface interface(const Nodes& members, const Nodes& copies) const;
  Cost cost(const Nodes& members, const Nodes& copies) const;
  int effort(std::uint32_t set) const;
  template <class Visit>
  void for_each_reader(std::uint32_t node, Visit&& visit) const;
  bool can_be_copied(std::uint32_t node) const;
  Nodes sets_that_read(std::uint32_t node) const;
  Nodes needed_alone(std::uint32_t node) const;
  bool is_left(Var v, std::uint32_t node) const;
  Nodes dissolve_unread(std::uint32_t set, const Nodes& nodes);
  std::string_view space_obstacle(std::uint32_t a, std::uint32_t b) const;
  bool absorbs(std::uint32_t a, std::uint32_t b) const;
  bool is_reached_around(std::uint32_t from, std::uint32_t to) const;

  const Region& region_;
  std::vector<std::uint32_t> sets_;
  std::vector<std::vector<std::uint32_t>> members_;    ///< of each set, in order
  std::vector<std::uint32_t> spaces_;                  ///< that each set goes over
  std::vector<std::vector<std::uint32_t>> copies_;     ///< of each set, in order
  std::vector<std::vector<std::uint32_t>> copied_to_;  ///< of each node: the sets that copy it
  std::vector<bool> dissolved_;                        ///< by node
  std::vector<std::vector<std::uint32_t>> edges_out_;  ///< of each node
  mutable std::vector<std::uint32_t> mark_;            ///< visited in the search number epoch_
  mutable std::uint32_t epoch_ = 0;
};

}  // namespace fcode_opt
