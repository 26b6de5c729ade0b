#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operations/operation_context.h"
#include "operations/spread_inputs.h"
#include "vcode/kernel_rules.h"

namespace cvl::mpi {

/// A kernel of the wrapped backend, and whether ranks can compute parts of it. They can if it consists of elementwise
/// operations, gathers from tables that are on every rank, INDEX, DIST and reductions, over a single segment: then each
/// rank runs the kernel on its part, and the reductions are combined. Other kernels run as a whole if all vectors are
/// on every rank, else step by step.
class DividedKernel final : public KernelPlan {
 public:
  /// Null if the wrapped backend does not run the kernel.
  static std::unique_ptr<DividedKernel> make(const RankGroup& group, const vcode::Kernel& kernel,
                                             const vcode::KernelFacts& facts, vcode::Widths widths,
                                             std::string_view location);

  /// The same on every rank, unlike the answer of the wrapped plan, which depends on time.
  bool is_faster(std::int64_t elements, bool single) override;
  std::string native_code() const override { return plan_->native_code(); }
  std::optional<MachineCode> machine_code() override { return plan_->machine_code(); }

  /// Runs the kernel. False, on all ranks, if that is impossible for these operands, or there is a fault: the results
  /// are then arbitrary. Collective.
  bool run(const KernelCall& call);

 private:
  DividedKernel(const RankGroup& group, const vcode::Kernel& kernel, const vcode::KernelFacts& facts);

  /// Kernels over fewer elements take less time step by step.
  static constexpr std::int64_t kLeastElements = 1024;

  struct Reduced {
    std::size_t value;  ///< number of the result
    Monoid monoid;
  };

  bool look_at_steps(const vcode::Kernel& kernel, const vcode::KernelFacts& facts);
  bool can_divide(const KernelCall& call) const;
  bool any_rounds(const KernelCall& call) const;
  bool run_here(const KernelCall& call);
  bool run_part(const KernelCall& call);

  const RankGroup& group_;
  bool can_fault_ = false;
  bool gathers_ = false;
  std::optional<SpreadInputs> inputs_;  ///< of a kernel that can be divided
  vcode::KernelFacts facts_;            ///< of inputs_->kernel()
  std::unique_ptr<KernelPlan> plan_;    ///< of that kernel, else of the original one
  std::vector<Reduced> reduced_;
  std::vector<bool> is_table_;  ///< of each value: whether it is read at indices
};

}  // namespace cvl::mpi
