#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "kernels/divided_kernel.h"
#include "operations/segment_results.h"

namespace cvl::mpi {

/// A call of a kernel of which each rank computes its part of the index space: the elements that it holds, and where
/// the grouping of a reduction matters, those before them that belong to the same block of fold_order.h. Blocks of
/// segments on several ranks are pieces, so that one rank reduces each; they are then combined in order.
class DividedKernel::Run {
 public:
  Run(DividedKernel& kernel, const KernelCall& call);
  Run(const Run&) = delete;

  /// Whether the operands are such that ranks can compute parts; the same on every rank. Collective.
  bool is_possible();
  /// False, on all ranks, if there is a fault. Rounds of messages: one for elements of blocks before the part, one for
  /// SLICEs, one for values of segments, three for each level of gathers, one for carries of scans, two for scatters,
  /// one for reductions, counts and faults, and one for packed elements and values of segments; those that are needed.
  /// Collective.
  bool run();

 private:
  /// The memory that holds what the part computes of a PACK.
  struct PartOfPack {
    Scratch elements, lengths;
  };
  /// Elements of values that a part has as inputs, though steps of the kernel compute them.
  struct Given {
    Scratch memory;
    Operand elements;  ///< of this rank
  };

  Range mine() const { return elements_[static_cast<std::size_t>(group_.rank())]; }
  bool find_elements();
  bool can_extend() const;
  bool fits_packs() const;
  bool has_tables() const;
  const LocalSegments& segments_of(std::size_t descriptor) const { return *segments_.at(descriptor); }
  void set_segments();
  void fetch_blocks();
  void fetch_slices();
  bool gather();
  void fold_scans();
  void run_part(PartPlan& plan, Range elements, const std::map<std::size_t, std::shared_ptr<LocalSegments>>& segments,
                std::vector<Result>& results);
  void set_results();
  Scattered scatter();
  bool combine(const Scattered& scattered);
  void deliver_results(std::span<const std::int64_t* const> of_ranks);

  std::size_t entries_of(int rank) const { return 1 + of_segments_.count_given(rank) + kernel_.packed_.size(); }
  bool is_first(const Packed& packed) const { return packed.value == packed.first; }

  DividedKernel& kernel_;
  const KernelCall& call_;
  const RankGroup& group_;
  Ranges elements_;                        ///< that each rank computes
  bool is_extended_ = false;               ///< whether some rank computes elements before its part
  bool is_good_ = true;                    ///< false: this rank has found a fault
  bool is_agreed_ = false;                 ///< whether all ranks have found none
  std::map<std::size_t, bool> by_blocks_;  ///< by the descriptor
  std::map<std::size_t, std::shared_ptr<LocalSegments>> segments_;  ///< by the descriptor
  std::map<std::size_t, Given> given_;                              ///< by the value
  std::vector<std::vector<std::int64_t>> carries_;                  ///< of each scan and rank, in 8 bytes
  std::vector<Result> results_;                                     ///< of the call, but for this rank
  std::vector<std::int64_t> kept_;
  std::vector<Scratch> computed_;  ///< of scatters
  std::vector<PartOfPack> packs_;
  SegmentResults of_segments_;
};

}  // namespace cvl::mpi
