#include "kernels/kernel_scans.h"

#include <algorithm>

#include <fmt/format.h>

#include "vcode/kernel_rules.h"
#include "vcode/op.h"

namespace cvl::mpi {

using vcode::Kernel;
using vcode::KernelVar;

namespace {

bool is_scan(const Kernel::Step& step) {
  return !step.is_constant() && vcode::producer_of(step.op) == vcode::Producer::kScan;
}

}  // namespace

LocalScans::LocalScans(const Kernel& kernel, std::span<const KernelVar> by_blocks) : kernel_(kernel) {
  std::vector<Kernel::Step> scans;
  std::ranges::copy_if(kernel.steps, std::back_inserter(scans), is_scan);
  if (scans.empty()) return;
  kernel_.values.resize(kernel.input_count);
  const auto add_value = [&](Kernel::ValueInfo info) {
    kernel_.values.push_back(std::move(info));
    return static_cast<KernelVar>(kernel_.values.size() - 1);
  };
  for (const Kernel::Step& scan : scans) {
    const std::string& name = kernel.values[scan.results[0]].name;
    Carry& carry = carries_.emplace_back();
    carry.input = add_value({"carry_of_" + name, kernel.values[scan.results[0]].kind});
    carry.segments = std::ranges::find(by_blocks, scan.operands[1]) == by_blocks.end()
                         ? scan.operands[1]
                         : add_value({"segments_of_" + name, vcode::Kind::kSegdes});
  }
  kernel_.input_count = static_cast<std::uint32_t>(kernel_.values.size());
  kernel_.steps.clear();
  numbers_.resize(kernel.values.size());
  for (std::size_t v = 0; v < kernel.input_count; ++v) numbers_[v] = v;
  const auto renumber = [&](std::vector<KernelVar>& values) {
    for (KernelVar& v : values) v = static_cast<KernelVar>(numbers_[v]);
  };
  auto carry = carries_.begin();
  for (const Kernel::Step& step : kernel.steps) {
    if (!is_scan(step)) {
      Kernel::Step added = step;
      renumber(added.operands);
      for (KernelVar& v : added.results) {
        numbers_[v] = add_value(kernel.values[v]);
        v = static_cast<KernelVar>(numbers_[v]);
      }
      kernel_.steps.push_back(std::move(added));
      continue;
    }
    const Kernel::ValueInfo info = kernel.values[step.results[0]];
    /// Adds a step like the scan with another operation.
    const auto add = [&](vcode::Op op, std::vector<KernelVar> operands, Kernel::ValueInfo of_result) {
      Kernel::Step& added = kernel_.steps.emplace_back(step);
      added.op = op;
      added.operands = std::move(operands);
      const KernelVar result = add_value(std::move(of_result));
      added.results = {result};
      return result;
    };
    std::vector<KernelVar> operands = step.operands;
    renumber(operands);
    operands[1] = carry->segments;
    const KernelVar local = add(step.op, std::move(operands), {"local_" + info.name, info.kind});
    const KernelVar spread =
        add(vcode::Op::kDist, {carry->input, carry->segments}, {"spread_carry_of_" + info.name, info.kind});
    const vcode::MonoidInfo& monoid = vcode::info(vcode::info(step.op).monoid);
    if (monoid.selects) {
      const KernelVar is_local = add(monoid.operation, {local, spread}, {"is_local_" + info.name, vcode::Kind::kBool});
      numbers_[step.results[0]] = add(vcode::Op::kSelect, {is_local, local, spread}, info);
    } else {
      numbers_[step.results[0]] = add(monoid.operation, {local, spread}, info);
    }
    ++carry;
  }
  renumber(kernel_.outputs);
}

Kernel with_reductions(const Kernel& kernel, std::vector<KernelVar>& reductions) {
  Kernel extended = kernel;
  for (const Kernel::Step& scan : kernel.steps) {
    if (!is_scan(scan)) continue;
    Kernel::Step step = scan;
    step.op = vcode::op_of(vcode::OpClass::kReduce, vcode::info(scan.op).monoid);
    const auto v = static_cast<KernelVar>(extended.values.size());
    extended.values.push_back({fmt::format("fold_{}", v), kernel.values[scan.results[0]].kind});
    step.results = {v};
    extended.steps.push_back(std::move(step));
    reductions.push_back(v);
  }
  return extended;
}

}  // namespace cvl::mpi
