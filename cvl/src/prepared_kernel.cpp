#include "cvl/prepared_kernel.h"

#include <algorithm>
#include <iterator>

namespace cvl {

PreparedKernel::PreparedKernel(const vcode::Kernel& kernel, std::span<const Value> constants, Backend& device,
                               vcode::Widths widths)
    : kernel_(kernel),
      facts_(std::make_unique<vcode::KernelFacts>(vcode::look_at(kernel))),
      constants_(kernel.values.size()),
      is_output_(kernel.values.size()) {
  for (const vcode::Kernel::Step& step : kernel.steps)
    if (step.is_constant()) constants_[step.results[0]] = constants[step.constant];
  for (const vcode::KernelVar v : kernel.outputs) is_output_[v] = true;
  for (std::uint32_t s = 0; s < kernel.steps.size(); ++s) {
    const vcode::Kernel::Step& step = kernel.steps[s];
    if (step.is_constant()) continue;
    applications_.push_back({step.op, step.suffix, static_cast<std::uint8_t>(step.operands.size()),
                             static_cast<std::uint8_t>(step.results.size()), step.results[0], s});
  }
  auto add_read = [&](vcode::KernelVar v) {
    using From = Read::From;
    const bool constant = constants_[v].tag() != Value::Tag::kNone;
    reads_.push_back({v < kernel.input_count ? From::kInput : constant ? From::kConstant : From::kValue, v});
  };
  for (const vcode::Kernel::Step& step : kernel.steps)
    std::for_each(step.operands.begin(), step.operands.end(), add_read);
  std::for_each(kernel.outputs.begin(), kernel.outputs.end(), add_read);
  std::vector<bool> read(kernel.values.size());
  for (auto r = reads_.rbegin(); r != reads_.rend(); ++r) {
    if (r->from == Read::From::kValue && !read[r->value]) r->from = Read::From::kLast;
    read[r->value] = true;
  }
  for (const vcode::Kernel::Step& step : kernel.steps)
    std::copy_if(step.results.begin(), step.results.end(), std::back_inserter(unread_),
                 [&](vcode::KernelVar v) { return !read[v] && !step.is_constant(); });
  plan_ = device.plan_kernel(kernel, *facts_, widths);
}

std::uint32_t first_pack_like(const vcode::Kernel& kernel, std::uint32_t step) {
  const vcode::Kernel::Step& like = kernel.steps[step];
  std::uint32_t first = 0;
  auto same = [&](const vcode::Kernel::Step& other) {
    return !other.is_constant() && other.op == Op::kPack && other.operands[1] == like.operands[1] &&
           other.operands[2] == like.operands[2];
  };
  while (!same(kernel.steps[first])) ++first;
  return first;
}

}  // namespace cvl
