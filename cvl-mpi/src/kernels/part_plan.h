#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/kernel_part.h"
#include "kernels/kernel_scans.h"
#include "kernels/spread_inputs.h"
#include "operations/operation_context.h"
#include "vcode/kernel_rules.h"

namespace cvl::mpi {

/// A plan of the wrapped backend for a part of a kernel, whose steps read values of segments and carries of scans as
/// inputs of their own.
class PartPlan {
 public:
  /// Null if the part is no kernel, or the wrapped backend does not run it. by_blocks: the descriptors of segments that
  /// are reduced in blocks.
  static std::unique_ptr<PartPlan> make(const RankGroup& group, KernelPart part,
                                        std::span<const vcode::KernelVar> by_blocks, vcode::Widths widths,
                                        std::string_view location);

  const KernelPart& part() const { return part_; }
  const SpreadInputs& spread() const { return spread_; }
  const LocalScans& scans() const { return scans_; }
  KernelPlan& plan() { return *plan_; }
  /// The number, in the kernel that the wrapped backend runs, of a value of the whole kernel that the part has.
  std::size_t number(std::size_t value) const { return scans_.number(spread_.number(part_.number(value))); }
  /// The members of a call of the whole kernel as those of a call of the plan; those of added inputs are default ones.
  template <class T>
  std::vector<T> members(std::span<const T> of_whole) const {
    const std::vector<T> of_part = part_.members(of_whole);
    const std::vector<T> with_spread = spread_.expand(std::span<const T>(of_part));
    return scans_.expand(std::span<const T>(with_spread));
  }

 private:
  PartPlan(KernelPart part, std::span<const vcode::KernelVar> by_blocks)
      : part_(std::move(part)), spread_(part_.kernel()), scans_(spread_.kernel(), by_blocks) {}

  const KernelPart part_;
  const SpreadInputs spread_;  ///< of part_.kernel()
  const LocalScans scans_;     ///< of spread_.kernel()
  vcode::KernelFacts facts_;   ///< of scans_.kernel()
  std::unique_ptr<KernelPlan> plan_;
};

}  // namespace cvl::mpi
