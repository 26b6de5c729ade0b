#include "runtime/step_code.h"

#include <algorithm>

#include "base/check.h"

namespace runtime {

using vcode::Kernel;
using vcode::KernelVar;

StepCode::StepCode(const Kernel& kernel)
    : inputs_(kernel.input_count),
      outputs_(static_cast<std::uint32_t>(kernel.outputs.size())),
      values_(static_cast<std::uint32_t>(kernel.values.size())),
      over_(kernel.over) {
  std::vector<int> readers(values_);
  for (const Kernel::Step& step : kernel.steps) {
    if (step.is_constant()) constants_.push_back(step.results[0]);
    for (const KernelVar v : step.operands) ++readers[v];
  }
  for (const KernelVar v : kernel.outputs) ++readers[v];
  std::vector<int> to_come = readers;
  const auto stays = [&](KernelVar v) { return v < inputs_ && kernel.values[v].kind == vcode::Kind::kSegdes; };
  const auto read = [&](KernelVar v) {
    const bool last = --to_come[v] == 0 && !stays(v);
    operands_.push_back(Operand{last, v});
  };
  for (std::uint32_t s = 0; s < kernel.steps.size(); ++s) {
    const Kernel::Step& step = kernel.steps[s];
    if (step.is_constant()) continue;
    VC_CHECK(step.operands.size() <= 255 && step.results.size() <= 255);
    for (std::size_t k = 1; k < step.results.size(); ++k) VC_CHECK(step.results[k] == step.results[0] + k);
    steps_.push_back({step.op, step.suffix, static_cast<std::uint8_t>(step.operands.size()),
                      static_cast<std::uint8_t>(step.results.size()), step.results[0], s});
    std::for_each(step.operands.begin(), step.operands.end(), read);
  }
  std::for_each(kernel.outputs.begin(), kernel.outputs.end(), read);
  for (KernelVar v = 0; v < values_; ++v)
    if (readers[v] == 0 || stays(v)) left_.push_back(v);
}

}  // namespace runtime
