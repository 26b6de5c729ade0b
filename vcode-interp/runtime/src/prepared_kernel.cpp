#include "runtime/prepared_kernel.h"

#include <algorithm>

#include "base/check.h"
#include "kernel_run.h"
#include "vcode/kernel_rules.h"

namespace runtime {
namespace {

/// Whether no result depends on the order of additions, as sums of floats do.
bool is_exact(const vcode::Kernel& kernel) {
  return std::none_of(kernel.steps.begin(), kernel.steps.end(), [](const vcode::Kernel::Step& step) {
    if (step.is_constant()) return false;
    const vcode::OpInfo& info = vcode::info(step.op);
    const bool folds = info.op_class == vcode::OpClass::kReduce || info.op_class == vcode::OpClass::kScan;
    return folds && step.suffix == vcode::Suffix::kFloat;
  });
}

}  // namespace

PreparedKernel::PreparedKernel(const vcode::Kernel& kernel, std::span<const Value> constants, Backend& device,
                               vcode::Widths widths, std::string_view placement)
    : step_code_(kernel),
      kernel_(kernel),
      facts_(std::make_shared<vcode::KernelFacts>(vcode::look_at(kernel))),
      is_exact_(runtime::is_exact(kernel)) {
  VC_CHECK(facts_->error.empty());
  take_constants(constants);
  plan_ = device.plan_kernel(kernel, *facts_, widths, placement);
  if (plan_ != nullptr) run_ = std::make_unique<KernelRun>(kernel, *facts_, constants_, *plan_, widths, is_exact_);
}

PreparedKernel::PreparedKernel(const PreparedKernel& other, std::span<const Value> constants, vcode::Widths widths)
    : step_code_(other.step_code_),
      kernel_(other.kernel_),
      facts_(other.facts_),
      plan_(other.plan_),
      is_exact_(other.is_exact_) {
  take_constants(constants);
  if (plan_ != nullptr) run_ = std::make_unique<KernelRun>(kernel_, *facts_, constants_, *plan_, widths, is_exact_);
}

void PreparedKernel::take_constants(std::span<const Value> constants) {
  constants_.resize(kernel_.values.size());
  for (const vcode::Kernel::Step& step : kernel_.steps)
    if (step.is_constant()) constants_[step.results[0]] = constants[step.constant];
}

PreparedKernel::PreparedKernel(PreparedKernel&&) noexcept = default;
PreparedKernel::~PreparedKernel() = default;

}  // namespace runtime
