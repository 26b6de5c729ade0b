#include "kernels/kernel_part.h"

#include <algorithm>

#include "vcode/kernel_rules.h"

namespace cvl::mpi {

using vcode::Kernel;
using vcode::KernelVar;

KernelPart::KernelPart(const Kernel& whole, std::span<const KernelVar> given, std::span<const KernelVar> outputs,
                       std::span<const KernelVar> kept)
    : kernel_(whole), numbers_(whole.values.size(), kNone) {
  std::vector<bool> is_needed(whole.values.size());
  for (const KernelVar v : outputs) is_needed[v] = true;
  for (const KernelVar v : kept) is_needed[v] = true;
  const auto is_given = [&](KernelVar v) { return std::ranges::find(given, v) != given.end(); };
  const auto is_computed = [&](const Kernel::Step& step) {
    return !is_given(step.results[0]) && std::ranges::any_of(step.results, [&](KernelVar v) { return is_needed[v]; });
  };
  for (auto step = whole.steps.rbegin(); step != whole.steps.rend(); ++step)
    if (is_computed(*step))
      for (const KernelVar v : step->operands) is_needed[v] = true;

  kernel_.values.resize(whole.input_count);
  const auto add = [&](KernelVar v) {
    numbers_[v] = kernel_.values.size();
    kernel_.values.push_back(whole.values[v]);
  };
  for (KernelVar v = 0; v < whole.input_count; ++v) numbers_[v] = v;
  for (const KernelVar v : given)
    if (is_needed[v]) add(v);
  kernel_.input_count = static_cast<std::uint32_t>(kernel_.values.size());
  kernel_.steps.clear();
  const auto renumber = [&](std::vector<KernelVar>& values) {
    for (KernelVar& v : values) v = static_cast<KernelVar>(number(v));
  };
  for (const Kernel::Step& step : whole.steps) {
    if (!is_computed(step)) continue;
    for (const KernelVar v : step.results) add(v);
    Kernel::Step& added = kernel_.steps.emplace_back(step);
    renumber(added.operands);
    renumber(added.results);
  }
  kernel_.outputs.assign(outputs.begin(), outputs.end());
  renumber(kernel_.outputs);
  // If no step of the part reads OVER, another input tells the index space.
  is_good_ = vcode::look_at(kernel_).error.empty();
  for (KernelVar v = 0; v < kernel_.input_count && !is_good_; ++v) {
    kernel_.over = v;
    is_good_ = vcode::look_at(kernel_).error.empty();
  }
}

}  // namespace cvl::mpi
