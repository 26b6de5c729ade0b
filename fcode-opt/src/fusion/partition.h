#pragma once

#include <string>
#include <utility>
#include <vector>

#include "region.h"

namespace fcode_opt {

/// What a set of kernels costs, for each element of their index spaces.
struct Cost {
  int bytes = 0;    ///< moved: the vectors each reads and leaves
  int kernels = 0;  ///< traversals
  friend auto operator<=>(const Cost&, const Cost&) = default;
};

/// A choice of kernels for a region: its kernel nodes in disjoint sets that can run one after the other.
class Partition {
 public:
  /// Each node by itself.
  explicit Partition(const Region& region);

  const Region& region() const { return region_; }
  /// Which set a kernel node is in; kNone for other nodes.
  std::uint32_t set_of(std::uint32_t node) const { return sets_[node]; }
  /// Of a kernel node: whether it goes over the segments of a reduction in its set.
  bool is_epilogue(std::uint32_t node) const { return region_.nodes[node].space != spaces_[sets_[node]]; }
  const std::vector<std::uint32_t>& members(std::uint32_t set) const { return members_[set]; }
  /// Nodes of other sets that this one computes again, in order.
  const std::vector<std::uint32_t>& copies(std::uint32_t set) const { return copies_[set]; }
  bool copies(std::uint32_t set, std::uint32_t node) const;
  const std::vector<std::uint32_t>& sets_with_copy(std::uint32_t node) const { return copied_to_[node]; }
  /// Of a kernel node: whether all that need it compute it themselves. It is in no set any more.
  bool is_dissolved(std::uint32_t node) const { return dissolved_[node]; }

  /// Whether a set is worth a kernel: of several operations, or of one that reads what DIST or INDEX make.
  bool is_kernel(std::uint32_t set) const;
  Cost total() const;
  /// What uniting two sets saves in bytes.
  int saving(std::uint32_t a, std::uint32_t b) const;
  /// Why two sets cannot be one; empty if they can.
  std::string_view obstacle(std::uint32_t a, std::uint32_t b) const;
  /// Of sets without obstacle. The result has number `a`.
  void unite(std::uint32_t a, std::uint32_t b);
  /// Lets every other set that reads `node` compute it itself, with what no set leaves for it, if reading the operands
  /// and computing costs less than storing and loading. True if so. Not before the last unite().
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
  mutable std::vector<std::uint32_t> mark_;            ///< scratch
  mutable std::uint32_t epoch_ = 0;
};

}  // namespace fcode_opt
