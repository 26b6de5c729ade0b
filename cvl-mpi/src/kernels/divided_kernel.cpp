#include "kernels/divided_kernel.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "cvl/fold_order.h"
#include "kernels/divided_kernel_run.h"
#include "vcode/op.h"

namespace cvl::mpi {

using vcode::Producer;
using vcode::Reader;

DividedKernel::DividedKernel(const RankGroup& group, SegmentCuts& cuts, const vcode::Kernel& kernel,
                             const vcode::KernelFacts& facts, vcode::Widths widths)
    : group_(group),
      faults_(group.messenger),
      context_{group, cuts, faults_},
      scatters_(kernel),
      is_table_(kernel.values.size()),
      is_read_(kernel.values.size()) {
  if (!look_at_steps(kernel, facts) || !scatters_.are_all_used()) return;
  if (!vcode::look_at(scatters_.kernel()).error.empty()) return;
  slices_.emplace(scatters_.kernel());
  if (!vcode::look_at(slices_->kernel()).error.empty()) return;
  inputs_.emplace(slices_->kernel());
  facts_ = vcode::look_at(inputs_->kernel());
  VC_CHECK(facts_.error.empty());
  for (const std::size_t v : scatters_.computed()) types_of_computed_.push_back(widths.of(kernel.values[v].kind));
}

std::unique_ptr<DividedKernel> DividedKernel::make(const RankGroup& group, SegmentCuts& cuts,
                                                   const vcode::Kernel& kernel, const vcode::KernelFacts& facts,
                                                   vcode::Widths widths, std::string_view location) {
  std::unique_ptr<DividedKernel> made(new DividedKernel(group, cuts, kernel, facts, widths));
  if (made->inputs_) {
    made->part_plan_ = group.inner.plan_kernel(made->inputs_->kernel(), made->facts_, widths, location);
    if (made->part_plan_ == nullptr) made->inputs_.reset();
  }
  if (made->part_plan_ != nullptr && made->scatters_.empty() && made->slices_->empty()) return made;
  made->whole_plan_ = group.inner.plan_kernel(kernel, facts, widths, location);
  return made->whole_plan_ == nullptr ? nullptr : std::move(made);
}

/// Finds the facts about the steps. False if ranks cannot compute parts of the kernel.
bool DividedKernel::look_at_steps(const vcode::Kernel& kernel, const vcode::KernelFacts& facts) {
  const auto is_given = [&](vcode::KernelVar v) {
    return facts.producers[v] == Producer::kInput || facts.producers[v] == Producer::kConstant;
  };
  for (std::uint32_t s = 0; s < kernel.steps.size(); ++s) {
    const vcode::Kernel::Step& step = kernel.steps[s];
    if (step.is_constant()) continue;
    const vcode::OpInfo& op = vcode::info(step.op);
    const Producer producer = facts.producers[step.results[0]];
    if (producer == Producer::kScatter) continue;
    can_fault_ = can_fault_ || op.can_fault(step.suffix);
    const bool is_map = producer == Producer::kMap && !op.draws();
    if (!is_map && producer != Producer::kSpread && producer != Producer::kGather && producer != Producer::kReduce &&
        producer != Producer::kPack)
      return false;
    if (!is_map && kernel.repeated > 0) return false;
    gathers_ = gathers_ || producer == Producer::kGather;
    const auto descriptor = [&](int like) {
      return std::size_t{step.operands[static_cast<std::size_t>(vcode::descriptor_like(step, like))]};
    };
    if (producer == Producer::kReduce) reduced_.push_back({step.results[0], op.monoid, descriptor(0)});
    if (producer == Producer::kPack)
      packed_.push_back({step.results[0], step.results[1], kernel.steps[vcode::first_pack_like(kernel, s)].results[0],
                         descriptor(0)});
    for (std::size_t k = 0; k < step.operands.size(); ++k) {
      const vcode::KernelVar v = step.operands[k];
      const Reader reader = vcode::reader_of(step.op, static_cast<int>(k));
      if (reader == Reader::kSpread && !is_given(v)) return false;
      // Inputs of their own replace what these read.
      if (producer == Producer::kSpread && reader != Reader::kDescriptor) continue;
      is_read_[v] = true;
      if (reader == Reader::kTable) is_table_[v] = true;
    }
  }
  return true;
}

bool DividedKernel::is_faster(std::int64_t elements, bool single) {
  const bool is_divided = group_.is_divided(elements);
  if (elements < kLeastElements || (!inputs_ && is_divided)) return false;
  (void)(is_divided ? *part_plan_ : plan()).is_faster(elements, single);
  return true;
}

bool DividedKernel::any_rounds(const KernelCall& call) const {
  return std::ranges::any_of(reduced_,
                             [&](const Reduced& of) { return vcode::rounds(of.monoid, call.results[of.value].type); });
}

/// Whether the operands are such that each rank can compute its part: elements of the index space are divided, tables
/// and their segments are on every rank. Vectors that only scatters read may have any segments. Where a kernel has
/// several segments, the order of a reduction must not matter.
bool DividedKernel::can_divide(const KernelCall& call) const {
  if (!inputs_ || !group_.is_divided(call.elements)) return false;
  const bool is_single = has_single_segments(call);
  if (any_rounds(call) && (gathers_ || !is_single || group_.distribution.block() % kFoldBlock != 0)) return false;
  if (!is_single && gathers_) return false;
  for (std::size_t v = 0; v < call.operands.size(); ++v) {
    if (!is_read_[v]) continue;
    const std::int64_t length = call.operands[v].length;
    if (group_.is_divided(length) && (length != call.elements || is_table_[v])) return false;
    const SegmentDescriptor& descriptor = call.descriptors[v];
    if (descriptor.elements != call.elements && (descriptor.segments > 1 || group_.is_divided(descriptor.elements)))
      return false;
  }
  std::size_t bytes = 0;
  for (const Packed& packed : packed_)
    bytes += size_of(call.results[packed.value].type, longest(group_.distribution.parts(call.elements)));
  return bytes <= group_.exchange_bytes &&
         slices_->are_known(group_, {call.elements, scatters_.without_results(call.operands),
                                     scatters_.without_results(call.descriptors), call.results, call.kept});
}

bool DividedKernel::has_single_segments(const KernelCall& call) const {
  for (std::size_t v = 0; v < call.descriptors.size(); ++v)
    if (is_read_[v] && call.descriptors[v].segments > 1 && call.descriptors[v].elements == call.elements) return false;
  return true;
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
  if (!is_replicated(call)) return can_divide(call) && Run(*this, call).run();
  if (whole_plan_ != nullptr) return run_here(*whole_plan_, call);
  std::vector<Operand> operands = inputs_->expand(call.operands);
  inputs_->set_same(call.operands, operands);
  std::vector<std::int64_t> kept = inputs_->expand(std::span<const std::int64_t>(call.kept));
  const bool is_good = run_here(
      *part_plan_, {call.elements, operands, inputs_->expand(call.descriptors), inputs_->expand(call.results), kept});
  for (std::size_t v = 0; v < call.kept.size(); ++v) call.kept[v] = kept[inputs_->number(v)];
  return is_good;
}

/// Runs the kernel on this rank. False if there is a fault in the data.
bool DividedKernel::run_here(KernelPlan& plan, const KernelCall& call) {
  const bool ran = group_.inner.run_kernel(plan, call);
  const Fault fault = group_.inner.take_fault();
  // Other ranks, which have memory, would take another way.
  if (fault.kind == FaultKind::kOutOfMemory) FaultLedger::fail_for_memory(group_.messenger, fault);
  VC_CHECK(ran);
  return fault.kind == FaultKind::kNone;
}

Result DividedKernel::filled(const KernelCall& call, std::size_t value) const {
  Result result = call.results[value];
  const auto packed = std::ranges::find(packed_, value, &Packed::value);
  if (packed != packed_.end()) result.length = call.kept[packed->first];
  return result;
}

}  // namespace cvl::mpi
