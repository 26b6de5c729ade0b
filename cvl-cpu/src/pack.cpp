#include "pack.h"

#include "context.h"

namespace cvl::cpu {

std::unique_ptr<PackPlan> plan_pack(Context&, Operand, const SegmentMap&, Result) {
  return std::make_unique<PackPlan>();
}

void pack(Context&, const PackPlan&, Operand, Operand, Result) {}

}  // namespace cvl::cpu
