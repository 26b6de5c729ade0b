#include "kernels/kernel_scatters.h"

#include <algorithm>
#include <iterator>
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

KernelScatters::KernelScatters(const Kernel& kernel) : outputs_(kernel.outputs) {
  std::ranges::copy_if(kernel.steps, std::back_inserter(scatters_), is_scatter);
  std::ranges::copy_if(outputs_, std::back_inserter(other_outputs_), [&](KernelVar v) {
    return std::ranges::none_of(scatters_, [&](const Kernel::Step& step) { return step.results[0] == v; });
  });
  for (const Kernel::Step& step : scatters_)
    for (const KernelVar v : step.operands)
      if (v >= kernel.input_count && std::ranges::count(outputs_, v) == 0 && std::ranges::count(computed_, v) == 0)
        computed_.push_back(v);
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
