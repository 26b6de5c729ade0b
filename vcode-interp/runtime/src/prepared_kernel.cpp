#include "runtime/prepared_kernel.h"

#include "vcode/check.h"

namespace runtime {

PreparedKernel::PreparedKernel(const vcode::Kernel& kernel, std::span<const Value> constants, Backend& device,
                               vcode::Widths widths)
    : step_code_(kernel),
      kernel_(kernel),
      facts_(std::make_unique<vcode::KernelFacts>(vcode::look_at(kernel))),
      constants_(kernel.values.size()),
      is_output_(kernel.values.size()) {
  VC_CHECK(facts_->error.empty());
  for (const vcode::Kernel::Step& step : kernel.steps)
    if (step.is_constant()) constants_[step.results[0]] = constants[step.constant];
  for (const vcode::KernelVar v : kernel.outputs) is_output_[v] = true;
  plan_ = device.plan_kernel(kernel, *facts_, widths);
}

}  // namespace runtime
