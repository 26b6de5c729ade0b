#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/kernel_gathers.h"
#include "kernels/kernel_scatters.h"
#include "kernels/kernel_slices.h"
#include "kernels/part_plan.h"
#include "operations/operation_context.h"
#include "vcode/kernel_rules.h"

namespace cvl::mpi {

/// A kernel of the wrapped backend, and whether ranks can compute parts of it. They can if it consists of elementwise
/// operations, INDEX, DIST, SLICE of few segments, gathers, scans but sums of floats, reductions, PACK and scatters.
/// Then each rank fetches the elements of SLICEs and gathers and the carries of scans, runs all other steps but the
/// scatters on its part, the reductions and counts are combined, and the scattered and packed elements exchanged. Other
/// kernels run as a whole if every rank has all vectors, else step by step.
class DividedKernel final : public KernelPlan {
 public:
  /// Null if the wrapped backend does not run the kernel.
  static std::unique_ptr<DividedKernel> make(const RankGroup& group, SegmentCuts& cuts, const vcode::Kernel& kernel,
                                             const vcode::KernelFacts& facts, vcode::Widths widths,
                                             std::string_view location);

  /// The same on every rank, unlike the answers of the wrapped plans, which depend on time.
  bool is_faster(std::int64_t elements, bool single) override;
  std::string native_code() const override { return shown_plan().native_code(); }
  std::optional<MachineCode> machine_code() override { return shown_plan().machine_code(); }

  /// Runs the kernel. False, on all ranks, if that is impossible for these operands, or there is a fault: the results
  /// are then arbitrary. Collective.
  bool run(const KernelCall& call);
  /// A result of a call that has run: of a PACK, the kept elements.
  Result filled(const KernelCall& call, std::size_t value) const;

 private:
  class Run;
  DividedKernel(const RankGroup& group, SegmentCuts& cuts, const vcode::Kernel& kernel);

  /// Kernels over fewer elements take less time step by step.
  static constexpr std::int64_t kLeastElements = 1024;

  struct Reduced {
    std::size_t value;  ///< number of the result
    Monoid monoid;
    std::size_t descriptor;  ///< of the segments that are reduced
    bool rounds;             ///< whether the grouping matters
  };
  struct Packed {
    std::size_t value, lengths;  ///< numbers of the results
    std::size_t first;           ///< the elements of the first PACK with the same flags and segments
    std::size_t descriptor;      ///< of these segments
  };
  struct Scanned {
    std::size_t value;  ///< number of the result
    Monoid monoid;
    ElemType type;
    std::size_t descriptor;
    std::size_t fold;  ///< the value of fold_plan_ that is the reduction
  };
  /// The operands of a gather that are a table, its descriptor, and that of the indices.
  struct Table {
    std::size_t table, from, to;
  };

  bool look_at_steps(const vcode::Kernel& kernel, const vcode::KernelFacts& facts, vcode::Widths widths);
  void plan_parts(const vcode::Kernel& kernel, vcode::Widths widths, std::string_view location);
  bool is_replicated(const KernelCall& call) const;
  bool run_here(KernelPlan& plan, const KernelCall& call);
  /// For messages about compiled code.
  KernelPlan& shown_plan() const { return part_plan_ != nullptr ? part_plan_->plan() : *whole_plan_; }

  const RankGroup& group_;
  FaultLedger faults_;  ///< of gathers and scatters: those of programs are found step by step
  OperationContext context_;
  const KernelScatters scatters_;
  const KernelSlices slices_;
  const KernelGathers gathers_;
  std::vector<ElemType> types_;     ///< of each value that is no descriptor
  bool can_divide_ = false;         ///< whether ranks can compute parts
  bool can_fault_ = false;          ///< whether there are faults but those of scatters
  bool can_fault_in_part_ = false;  ///< whether part_plan_ can find faults
  std::vector<bool> is_over_;       ///< of each input: whether steps of a part read it element by element
  std::vector<bool> is_space_;      ///< of each input: whether it is a descriptor of elements of the index space
  std::vector<Table> tables_;       ///< of the gathers
  std::vector<Reduced> reduced_;
  std::vector<Packed> packed_;
  std::vector<Scanned> scanned_;
  vcode::Kernel with_folds_;  ///< the kernel with reductions of what scans go over
  std::unique_ptr<KernelPlan> whole_plan_;
  std::vector<std::unique_ptr<PartPlan>> index_plans_;  ///< for each level of gathers; null if no step computes indices
  std::unique_ptr<PartPlan> fold_plan_;       ///< the reductions of what scans go over; null if there are none
  std::unique_ptr<PartPlan> part_plan_;       ///< the other steps; null if there are none
  std::unique_ptr<PartPlan> gathering_plan_;  ///< the same with the gathers, from tables that every rank has
};

}  // namespace cvl::mpi
