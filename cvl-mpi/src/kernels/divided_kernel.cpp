#include "kernels/divided_kernel.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "kernels/divided_kernel_run.h"
#include "vcode/grouping.h"
#include "vcode/op.h"

namespace cvl::mpi {

using vcode::KernelVar;
using vcode::Producer;
using vcode::Reader;

DividedKernel::DividedKernel(const RankGroup& group, SegmentCuts& cuts, const vcode::Kernel& kernel)
    : group_(group),
      faults_(group.messenger),
      context_{group, cuts, faults_},
      scatters_(kernel),
      slices_(kernel),
      gathers_(kernel),
      is_over_(kernel.values.size()),
      is_space_(kernel.values.size()) {}

std::unique_ptr<DividedKernel> DividedKernel::make(const RankGroup& group, SegmentCuts& cuts,
                                                   const vcode::Kernel& kernel, const vcode::KernelFacts& facts,
                                                   vcode::Widths widths, std::string_view location) {
  std::unique_ptr<DividedKernel> made(new DividedKernel(group, cuts, kernel));
  made->whole_plan_ = group.inner.plan_kernel(kernel, facts, widths, location);
  if (made->whole_plan_ == nullptr) return nullptr;
  if (made->look_at_steps(kernel, facts, widths)) made->plan_parts(kernel, widths, location);
  return made;
}

/// Finds the facts about the steps. False if ranks cannot compute parts of the kernel.
bool DividedKernel::look_at_steps(const vcode::Kernel& kernel, const vcode::KernelFacts& facts, vcode::Widths widths) {
  for (const vcode::Kernel::ValueInfo& value : kernel.values)
    types_.push_back(value.kind == vcode::Kind::kSegdes ? ElemType::kI64 : widths.of(value.kind));
  for (std::uint32_t s = 0; s < kernel.steps.size(); ++s) {
    const vcode::Kernel::Step& step = kernel.steps[s];
    if (step.is_constant()) continue;
    const vcode::OpInfo& op = vcode::info(step.op);
    const Producer producer = facts.producers[step.results[0]];
    const auto descriptor = [&](int like) {
      return std::size_t{step.operands[static_cast<std::size_t>(vcode::descriptor_like(step, like))]};
    };
    if (producer == Producer::kScatter) continue;
    if (producer == Producer::kEpilogue || producer == Producer::kArgReduce || op.draws()) return false;
    if (producer != Producer::kMap && kernel.repeated > 0) return false;
    can_fault_ = can_fault_ || op.can_fault(step.suffix) || producer == Producer::kGather;
    if (producer == Producer::kReduce)
      reduced_.push_back(
          {step.results[0], op.monoid, descriptor(0), vcode::rounds(op.monoid, types_[step.results[0]])});
    if (producer == Producer::kPack)
      packed_.push_back({step.results[0], step.results[1], kernel.steps[vcode::first_pack_like(kernel, s)].results[0],
                         descriptor(0)});
    if (producer == Producer::kScan) {
      if (vcode::rounds(op.monoid, types_[step.results[0]])) return false;
      scanned_.push_back({step.results[0], op.monoid, types_[step.results[0]], descriptor(0), 0});
    }
    if (producer == Producer::kGather) tables_.push_back({step.operands[0], descriptor(0), descriptor(-1)});
    for (std::size_t k = 0; k < step.operands.size(); ++k) {
      const KernelVar v = step.operands[k];
      const Reader reader = vcode::reader_of(step.op, static_cast<int>(k));
      const bool is_given = facts.producers[v] == Producer::kInput || facts.producers[v] == Producer::kConstant;
      if (reader == Reader::kSpread && !is_given) return false;
      // The index part of a kernel runs before the carries of its scans are known.
      if (reader == Reader::kIndices && facts.after_scan[v]) return false;
      if (reader == Reader::kDescriptor && (producer != Producer::kGather || v == tables_.back().to))
        is_space_[v] = true;
      if (reader != Reader::kDescriptor && reader != Reader::kSpread && reader != Reader::kTable) is_over_[v] = true;
    }
  }
  return scatters_.are_all_used();
}

/// Plans the parts that ranks compute.
void DividedKernel::plan_parts(const vcode::Kernel& kernel, vcode::Widths widths, std::string_view location) {
  std::vector<KernelVar> outputs = scatters_.other_outputs(), kept;
  outputs.insert(outputs.end(), scatters_.computed().begin(), scatters_.computed().end());
  for (const Reduced& reduced : reduced_) kept.push_back(static_cast<KernelVar>(reduced.value));
  for (const Packed& packed : packed_) kept.push_back(static_cast<KernelVar>(packed.value));
  for (const Scanned& scanned : scanned_) kept.push_back(static_cast<KernelVar>(scanned.value));
  const auto given = [&](std::size_t levels) {
    std::vector<KernelVar> values = slices_.results();
    const std::vector<KernelVar> gathered = gathers_.results_of(levels);
    values.insert(values.end(), gathered.begin(), gathered.end());
    return values;
  };
  std::vector<KernelVar> by_blocks;
  for (const Reduced& reduced : reduced_)
    if (reduced.rounds) by_blocks.push_back(static_cast<KernelVar>(reduced.descriptor));
  const auto plan = [&](const vcode::Kernel& whole, std::size_t levels, std::span<const KernelVar> of_part,
                        std::span<const KernelVar> more) {
    return PartPlan::make(group_, KernelPart(whole, given(levels), of_part, more), by_blocks, widths, location);
  };
  const std::size_t levels = gathers_.levels();
  for (std::size_t level = 0; level < levels; ++level) {
    const std::vector<KernelVar> computed = gathers_.computed_for(level);
    index_plans_.push_back(computed.empty() ? nullptr : plan(kernel, level, computed, {}));
    if (!computed.empty() && index_plans_.back() == nullptr) return;
  }
  if (!scanned_.empty()) {
    std::vector<KernelVar> folds;
    with_folds_ = with_reductions(kernel, folds);
    for (std::size_t k = 0; k < folds.size(); ++k) scanned_[k].fold = folds[k];
    fold_plan_ = plan(with_folds_, levels, folds, {});
    if (fold_plan_ == nullptr) return;
  }
  // Elementwise operations that can be at fault, but for those that compute indices, which have run before.
  std::vector<KernelVar> faulting;
  for (const vcode::Kernel::Step& step : kernel.steps)
    if (!step.is_constant() && vcode::producer_of(step.op) == Producer::kMap &&
        vcode::info(step.op).can_fault(step.suffix))
      faulting.push_back(step.results[0]);
  const auto is_of_indices = [&](KernelVar v) {
    return std::ranges::any_of(index_plans_, [&](const std::unique_ptr<PartPlan>& of_level) {
      return of_level != nullptr && of_level->part().number(v) != KernelPart::kNone;
    });
  };
  std::ranges::copy_if(faulting, std::back_inserter(kept), [&](KernelVar v) { return !is_of_indices(v); });
  // The elements of given outputs are fetched.
  const auto computed_outputs = [&](std::size_t gathered) {
    const std::vector<KernelVar> of_others = given(gathered);
    std::vector<KernelVar> computed;
    std::ranges::copy_if(outputs, std::back_inserter(computed),
                         [&](KernelVar v) { return std::ranges::count(of_others, v) == 0; });
    return computed;
  };
  if (const std::vector<KernelVar> computed = computed_outputs(levels); !computed.empty()) {
    part_plan_ = plan(kernel, levels, computed, kept);
    if (part_plan_ == nullptr) return;
    can_fault_in_part_ =
        std::ranges::any_of(faulting, [&](KernelVar v) { return part_plan_->part().number(v) != KernelPart::kNone; });
  } else if (outputs.empty() || !kept.empty()) {
    return;
  }
  can_divide_ = true;
  if (levels > 0) gathering_plan_ = plan(kernel, 0, computed_outputs(0), kept);
}

bool DividedKernel::is_faster(std::int64_t elements, bool) {
  return elements >= kLeastElements && (can_divide_ || !group_.is_divided(elements));
}

/// Whether every rank has all elements of the call, and computes all results.
bool DividedKernel::is_replicated(const KernelCall& call) const {
  return !group_.is_divided(call.elements) &&
         std::ranges::all_of(call.operands, [&](const Operand& operand) { return group_.has_all(operand); }) &&
         std::ranges::none_of(call.results, [&](const Result& result) { return group_.is_divided(result); }) &&
         std::ranges::all_of(call.descriptors,
                             [&](const SegmentDescriptor& segments) { return has_all_starts(group_, segments); });
}

bool DividedKernel::run(const KernelCall& call) {
  if (is_replicated(call)) return run_here(*whole_plan_, call);
  if (!can_divide_ || !group_.is_divided(call.elements)) return false;
  Run run(*this, call);
  return run.is_possible() && run.run();
}

/// Runs a kernel on this rank. False if there is a fault in the data.
bool DividedKernel::run_here(KernelPlan& plan, const KernelCall& call) {
  // The answer, which differs among ranks, counts the run.
  (void)plan.is_faster(call.elements, true);
  const bool ran = group_.inner.run_kernel(plan, call);
  const Fault fault = group_.inner.take_fault();
  // Other ranks, which have memory, would take another way.
  if (fault.kind == FaultKind::kOutOfMemory) FaultLedger::fail_for_memory(group_.messenger, fault);
  // A device without the code of a kernel, or without memory for it, leaves it to the steps.
  VC_CHECK(ran || group_.staged != nullptr);
  return ran && fault.kind == FaultKind::kNone;
}

Result DividedKernel::filled(const KernelCall& call, std::size_t value) const {
  Result result = call.results[value];
  const auto packed = std::ranges::find(packed_, value, &Packed::value);
  if (packed != packed_.end()) result.length = call.kept[packed->first];
  return result;
}

}  // namespace cvl::mpi
