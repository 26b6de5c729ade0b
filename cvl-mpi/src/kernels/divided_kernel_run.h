#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "kernels/divided_kernel.h"
#include "kernels/segment_results.h"

namespace cvl::mpi {

/// A call of a kernel of which each rank computes its part of the index space. Where a reduction depends on its
/// grouping, the blocks of fold_order.h are segments of that part, so that one rank reduces each; all ranks then
/// combine them in order.
class DividedKernel::Run {
 public:
  Run(DividedKernel& kernel, const KernelCall& call);
  Run(const Run&) = delete;

  /// False, on all ranks, if there is a fault. Rounds of messages: one for SLICEs, two for scatters, one for
  /// reductions, counts and faults, and one for packed elements and values of segments; those that are needed.
  /// Collective.
  bool run();

 private:
  /// The memory that holds what the part computes of a PACK.
  struct PartOfPack {
    Scratch elements, lengths;
  };

  template <class T>
  std::vector<T> members(std::span<const T> of_call) const;
  void set_descriptors();
  bool set_operands();
  void set_results();
  bool run_part();
  Scattered scatter(bool is_good);
  bool combine(const Scattered& scattered);
  void combine_folds(std::span<const std::int64_t* const> of_ranks);
  void deliver_results(std::span<const std::int64_t* const> of_ranks);

  Result& result_of(std::size_t value) { return results_[kernel_.number(value)]; }
  std::int64_t segments_of(Range part) const;
  std::size_t entries_of(int rank) const;
  bool is_first(const Packed& packed) const { return packed.value == packed.first; }

  DividedKernel& kernel_;
  const KernelCall& call_;
  const RankGroup& group_;
  const Range part_;
  const bool is_single_;  ///< whether all segments are those of single segments
  const bool by_blocks_;
  std::map<std::size_t, std::shared_ptr<SegmentCut>> cuts_;  ///< by the descriptor, if there are several segments
  std::vector<Operand> operands_;
  std::vector<SegmentDescriptor> descriptors_;
  std::vector<Result> results_;
  std::vector<std::int64_t> kept_;
  std::vector<Scratch> memory_;  ///< of operands
  Scratch offsets_, folds_;
  std::vector<Scratch> computed_;  ///< of scatters
  std::vector<PartOfPack> packs_;
  SegmentResults of_segments_;
};

}  // namespace cvl::mpi
