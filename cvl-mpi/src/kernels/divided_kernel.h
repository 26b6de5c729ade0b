#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/kernel_scatters.h"
#include "kernels/kernel_slices.h"
#include "kernels/spread_inputs.h"
#include "operations/operation_context.h"
#include "vcode/kernel_rules.h"

namespace cvl::mpi {

/// A kernel of the wrapped backend, and whether ranks can compute parts of it. They can if it consists of elementwise
/// operations, INDEX, DIST, SLICE of few segments, reductions, PACK, over a single segment gathers from tables that are
/// on every rank, and of scatters: then each rank fetches the elements of SLICEs, runs all but these and the scatters
/// on its part, the reductions and counts are combined, and the scattered and packed elements exchanged. Other kernels
/// run as a whole if all vectors are on every rank, else step by step.
class DividedKernel final : public KernelPlan {
 public:
  /// Null if the wrapped backend does not run the kernel.
  static std::unique_ptr<DividedKernel> make(const RankGroup& group, SegmentCuts& cuts, const vcode::Kernel& kernel,
                                             const vcode::KernelFacts& facts, vcode::Widths widths,
                                             std::string_view location);

  /// The same on every rank, unlike the answer of the wrapped plan, which depends on time.
  bool is_faster(std::int64_t elements, bool single) override;
  std::string native_code() const override { return plan().native_code(); }
  std::optional<MachineCode> machine_code() override { return plan().machine_code(); }

  /// Runs the kernel. False, on all ranks, if that is impossible for these operands, or there is a fault: the results
  /// are then arbitrary. Collective.
  bool run(const KernelCall& call);
  /// A result of a call that has run: of a PACK, the kept elements.
  Result filled(const KernelCall& call, std::size_t value) const;

 private:
  class Run;
  DividedKernel(const RankGroup& group, SegmentCuts& cuts, const vcode::Kernel& kernel, const vcode::KernelFacts& facts,
                vcode::Widths widths);

  /// Kernels over fewer elements take less time step by step.
  static constexpr std::int64_t kLeastElements = 1024;

  struct Reduced {
    std::size_t value;  ///< number of the result
    Monoid monoid;
    std::size_t descriptor;  ///< of the segments that are reduced
  };
  struct Packed {
    std::size_t value, lengths;  ///< numbers of the results
    std::size_t first;           ///< the elements of the first PACK with the same flags and segments
    std::size_t descriptor;      ///< of these segments
  };

  KernelPlan& plan() const { return whole_plan_ != nullptr ? *whole_plan_ : *part_plan_; }
  bool look_at_steps(const vcode::Kernel& kernel, const vcode::KernelFacts& facts);
  bool can_divide(const KernelCall& call) const;
  bool is_replicated(const KernelCall& call) const;
  bool any_rounds(const KernelCall& call) const;
  bool run_here(KernelPlan& plan, const KernelCall& call);
  bool has_single_segments(const KernelCall& call) const;
  /// The number in the kernel of part_plan_ of a value of the original kernel that no scatter computes.
  std::size_t number(std::size_t value) const { return inputs_->number(slices_->number(scatters_.number(value))); }

  const RankGroup& group_;
  FaultLedger faults_;  ///< of the scatters: those of programs are found step by step
  OperationContext context_;
  bool can_fault_ = false;  ///< without the scatters
  bool gathers_ = false;
  const KernelScatters scatters_;
  std::vector<ElemType> types_of_computed_;  ///< of scatters_.computed()
  std::optional<KernelSlices> slices_;       ///< of scatters_.kernel()
  std::optional<SpreadInputs> inputs_;       ///< of a kernel that can be divided: of slices_->kernel()
  vcode::KernelFacts facts_;                 ///< of inputs_->kernel()
  std::unique_ptr<KernelPlan> part_plan_;    ///< of that kernel
  std::unique_ptr<KernelPlan> whole_plan_;   ///< of the original one if that is another kernel, or cannot be divided
  std::vector<Reduced> reduced_;
  std::vector<Packed> packed_;
  std::vector<bool> is_table_;  ///< of each value: whether it is read at indices
  std::vector<bool> is_read_;   ///< of each value: whether a step reads it that is no scatter
};

}  // namespace cvl::mpi
