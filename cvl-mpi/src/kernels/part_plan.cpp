#include "kernels/part_plan.h"

#include "base/check.h"

namespace cvl::mpi {

std::unique_ptr<PartPlan> PartPlan::make(const RankGroup& group, KernelPart part,
                                         std::span<const vcode::KernelVar> by_blocks, vcode::Widths widths,
                                         std::string_view location) {
  if (!part.is_good()) return nullptr;
  std::unique_ptr<PartPlan> made(new PartPlan(std::move(part), by_blocks));
  made->facts_ = vcode::look_at(made->scans_.kernel());
  VC_CHECK(made->facts_.error.empty());
  made->plan_ = group.inner.plan_kernel(made->scans_.kernel(), made->facts_, widths, location);
  return made->plan_ == nullptr ? nullptr : std::move(made);
}

}  // namespace cvl::mpi
