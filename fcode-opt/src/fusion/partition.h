#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "basic_block.h"

namespace fcode_opt {

/// Cost of a set of kernels, per element of their index spaces.
struct Cost {
  int bytes = 0;    ///< bytes of the vectors that kernels read from memory and leave there
  int kernels = 0;  ///< number of traversals
  int vectors = 0;  ///< number of vectors that kernels leave in memory
  friend auto operator<=>(const Cost&, const Cost&) = default;  // NOLINT(modernize-use-nullptr): compares with 0
};

/// A choice of kernels for a basic block: its kernel nodes in disjoint sets that can run one after the other.
class Partition {
 public:
  /// Puts each kernel node into a set of its own.
  explicit Partition(const BasicBlock& basic_block);

  const BasicBlock& basic_block() const { return basic_block_; }
  /// Set of a kernel node; kNoNumber for other nodes.
  std::uint32_t set_of(std::uint32_t node) const { return sets_[node]; }
  /// Whether a kernel node goes over the segments of a reduction in its set.
  bool is_epilogue(std::uint32_t node) const {
    VC_CHECK(sets_[node] != kNoNumber);
    return basic_block_.nodes[node].space != spaces_[sets_[node]];
  }
  const std::vector<std::uint32_t>& members(std::uint32_t set) const { return members_[set]; }
  /// Nodes of other sets that this set recomputes, in order.
  const std::vector<std::uint32_t>& copies(std::uint32_t set) const { return copies_[set]; }
  bool copies(std::uint32_t set, std::uint32_t node) const;
  const std::vector<std::uint32_t>& sets_with_copy(std::uint32_t node) const { return copied_to_[node]; }
  /// Whether all readers of a kernel node recompute it, so that it is in no set.
  bool is_dissolved(std::uint32_t node) const { return dissolved_[node]; }

  /// Whether a set becomes a kernel: a set of several operations, or of one operation that reads a DIST or an INDEX.
  bool is_kernel(std::uint32_t set) const;
  Cost total() const;
  /// Bytes that uniting two sets saves.
  int saving(std::uint32_t a, std::uint32_t b) const;
  /// Reason why two sets cannot be united; empty if they can.
  std::string_view obstacle(std::uint32_t a, std::uint32_t b) const;
  /// Unites two sets that have no obstacle; `a` becomes the number of the union.
  void unite(std::uint32_t a, std::uint32_t b);
  /// Copies nodes of set `own`, and the nodes before them whose results no set leaves in memory, into every other set
  /// that reads them, if loading the operands and recomputing costs less than storing and loading the results. Returns
  /// whether it has copied. To be called only after the last unite().
  bool copy_to_readers(std::uint32_t own, const std::vector<std::uint32_t>& nodes);
  /// Copies in the same way all that one other set reads of set `own`, for each other set.
  void copy_together(std::uint32_t own);
  /// Pairs of sets that exchange a value or read the same vector element by element.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> neighbours() const;

  /// Vectors that a set reads element by element, and values that it must leave in memory.
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

  const BasicBlock& basic_block_;
  std::vector<std::uint32_t> sets_;
  std::vector<std::vector<std::uint32_t>> members_;    ///< of each set: its nodes, in order
  std::vector<std::uint32_t> spaces_;                  ///< of each set: its index space
  std::vector<std::vector<std::uint32_t>> copies_;     ///< of each set: the nodes of other sets that it recomputes, in
                                                       ///< order
  std::vector<std::vector<std::uint32_t>> copied_to_;  ///< of each node: the sets that recompute it
  std::vector<bool> dissolved_;                        ///< of each node: whether all its readers recompute it
  std::vector<std::vector<std::uint32_t>> edges_out_;  ///< of each node: indices of its outgoing edges
  mutable std::vector<std::uint32_t> mark_;            ///< nodes visited in the search number epoch_
  mutable std::uint32_t epoch_ = 0;
};

}  // namespace fcode_opt
