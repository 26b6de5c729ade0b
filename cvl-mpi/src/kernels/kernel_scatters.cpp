#include "kernels/kernel_scatters.h"

#include <algorithm>
#include <optional>

#include "vcode/kernel_rules.h"
#include "vcode/op.h"

namespace cvl::mpi {

using vcode::Kernel;
using vcode::KernelVar;
using vcode::Producer;

namespace {

bool is_scatter(const Kernel::Step& step) {
  return !step.is_constant() && vcode::producer_of(step.op) == Producer::kScatter;
}

}  // namespace

KernelScatters::KernelScatters(const Kernel& kernel) : outputs_(kernel.outputs), kernel_(kernel) {
  std::ranges::copy_if(kernel.steps, std::back_inserter(scatters_), is_scatter);
  if (empty()) return;
  std::erase_if(kernel_.steps, is_scatter);
  for (auto of = scatters_.rbegin(); of != scatters_.rend(); ++of)
    kernel_.values.erase(kernel_.values.begin() + static_cast<std::ptrdiff_t>(of->results[0]));
  const auto renumber = [&](std::vector<KernelVar>& values) {
    for (KernelVar& v : values) v = static_cast<KernelVar>(number(v));
  };
  for (Kernel::Step& step : kernel_.steps) {
    renumber(step.operands);
    renumber(step.results);
  }
  std::erase_if(kernel_.outputs, [&](KernelVar v) {
    return std::ranges::any_of(scatters_, [&](const Kernel::Step& step) { return step.results[0] == v; });
  });
  for (const Kernel::Step& step : scatters_)
    for (const KernelVar v : step.operands) {
      if (v < kernel.input_count || std::ranges::count(kernel_.outputs, v) > 0) continue;
      computed_.push_back(v);
      kernel_.outputs.push_back(v);
    }
  renumber(kernel_.outputs);
  // If scatters alone read OVER, another input tells the index space.
  for (KernelVar v = 0; v < kernel.input_count && !vcode::look_at(kernel_).error.empty(); ++v) kernel_.over = v;
}

std::size_t KernelScatters::number(std::size_t value) const {
  return value - static_cast<std::size_t>(std::ranges::count_if(
                     scatters_, [&](const Kernel::Step& step) { return step.results[0] < value; }));
}

bool KernelScatters::are_all_used() const {
  return std::ranges::all_of(
      scatters_, [&](const Kernel::Step& step) { return std::ranges::count(outputs_, step.results[0]) > 0; });
}

Scattered KernelScatters::run(OperationContext& context, const KernelCall& call,
                              const std::function<Operand(std::size_t)>& vector) const {
  std::vector<Scatter> scatters;
  for (const Kernel::Step& step : scatters_) {
    const auto operand = [&](int k) { return vector(step.operands[static_cast<std::size_t>(k)]); };
    const auto optional_operand = [&](int k) { return k < 0 ? std::nullopt : std::optional(operand(k)); };
    const auto descriptor_like = [&](int k) {
      return call.descriptors[step.operands[static_cast<std::size_t>(vcode::descriptor_like(step, k))]];
    };
    scatters.push_back({operand(0), operand(1), optional_operand(vcode::flags_of(step.op)),
                        optional_operand(vcode::defaults_of(step.op)), descriptor_like(0), descriptor_like(-1),
                        call.results[step.results[0]]});
  }
  return compute_scatters(context, scatters);
}

}  // namespace cvl::mpi
