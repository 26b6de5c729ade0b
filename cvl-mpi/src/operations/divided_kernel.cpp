#include "operations/divided_kernel.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "cvl/fold_order.h"
#include "cvl/op_dispatch.h"
#include "vcode/op.h"

namespace cvl::mpi {

using vcode::Producer;
using vcode::Reader;

DividedKernel::DividedKernel(const RankGroup& group, const vcode::Kernel& kernel, const vcode::KernelFacts& facts)
    : group_(group), is_table_(kernel.values.size()) {
  if (!look_at_steps(kernel, facts)) return;
  inputs_.emplace(kernel);
  facts_ = vcode::look_at(inputs_->kernel());
  VC_CHECK(facts_.error.empty());
}

std::unique_ptr<DividedKernel> DividedKernel::make(const RankGroup& group, const vcode::Kernel& kernel,
                                                   const vcode::KernelFacts& facts, vcode::Widths widths,
                                                   std::string_view location) {
  std::unique_ptr<DividedKernel> made(new DividedKernel(group, kernel, facts));
  made->plan_ = made->inputs_ ? group.inner.plan_kernel(made->inputs_->kernel(), made->facts_, widths, location)
                              : group.inner.plan_kernel(kernel, facts, widths, location);
  return made->plan_ == nullptr ? nullptr : std::move(made);
}

/// Finds the facts about the steps. False if ranks cannot compute parts of the kernel.
bool DividedKernel::look_at_steps(const vcode::Kernel& kernel, const vcode::KernelFacts& facts) {
  for (const vcode::Kernel::Step& step : kernel.steps) {
    if (step.is_constant()) continue;
    const vcode::OpInfo& op = vcode::info(step.op);
    can_fault_ = can_fault_ || op.can_fault(step.suffix);
    const Producer producer = facts.producers[step.results[0]];
    const bool is_map = producer == Producer::kMap && !op.draws();
    const bool is_spread = step.op == Op::kDist || step.op == Op::kIndex;
    if (!is_map && !is_spread && producer != Producer::kGather && producer != Producer::kReduce) return false;
    if (!is_map && kernel.repeated > 0) return false;
    gathers_ = gathers_ || producer == Producer::kGather;
    if (producer == Producer::kReduce) reduced_.push_back({step.results[0], op.monoid});
    for (std::size_t k = 0; k < step.operands.size(); ++k) {
      const vcode::KernelVar v = step.operands[k];
      const Reader reader = vcode::reader_of(step.op, static_cast<int>(k));
      if (reader == Reader::kTable) is_table_[v] = true;
      const bool is_given = facts.producers[v] == Producer::kInput || facts.producers[v] == Producer::kConstant;
      if (reader == Reader::kSpread && !is_given) return false;
    }
  }
  return true;
}

bool DividedKernel::is_faster(std::int64_t elements, bool single) {
  if (elements < kLeastElements || (!inputs_ && group_.is_divided(elements))) return false;
  (void)plan_->is_faster(elements, single);
  return true;
}

bool DividedKernel::any_rounds(const KernelCall& call) const {
  return std::ranges::any_of(reduced_,
                             [&](const Reduced& of) { return vcode::rounds(of.monoid, call.results[of.value].type); });
}

/// Whether the operands are such that each rank can compute its part: elements of the index space are divided, tables
/// and their segments are on every rank.
bool DividedKernel::can_divide(const KernelCall& call) const {
  if (!inputs_ || !group_.is_divided(call.elements)) return false;
  if (any_rounds(call) && (gathers_ || group_.distribution.block() % kFoldBlock != 0)) return false;
  for (std::size_t v = 0; v < call.operands.size(); ++v) {
    const std::int64_t length = call.operands[v].length;
    if (group_.is_divided(length) && (length != call.elements || is_table_[v])) return false;
  }
  return std::ranges::all_of(call.descriptors, [&](const SegmentDescriptor& descriptor) {
    if (descriptor.segments > 1) return false;
    return !group_.is_divided(descriptor.elements) || descriptor.elements == call.elements;
  });
}

bool DividedKernel::run(const KernelCall& call) {
  const auto is_divided = [&](const auto& vector) { return group_.is_divided(vector); };
  const bool any_divided = group_.is_divided(call.elements) || std::ranges::any_of(call.operands, is_divided) ||
                           std::ranges::any_of(call.results, is_divided) ||
                           std::ranges::any_of(call.descriptors, is_divided);
  if (any_divided) return can_divide(call) && run_part(call);
  if (!inputs_) return run_here(call);
  std::vector<Operand> operands = inputs_->expand(call.operands);
  inputs_->set_same(call.operands, operands);
  std::vector<std::int64_t> kept = inputs_->expand(std::span<const std::int64_t>(call.kept));
  return run_here({call.elements, operands, inputs_->expand(call.descriptors), inputs_->expand(call.results), kept});
}

/// Runs the kernel on this rank. False if there is a fault in the data.
bool DividedKernel::run_here(const KernelCall& call) {
  const bool ran = group_.inner.run_kernel(*plan_, call);
  const Fault fault = group_.inner.take_fault();
  // Other ranks, which have memory, would take another way.
  if (fault.kind == FaultKind::kOutOfMemory) FaultLedger::fail_for_memory(group_.messenger, fault);
  VC_CHECK(ran);
  return fault.kind == FaultKind::kNone;
}

/// Runs the kernel on this rank's part of the index space. Where a reduction depends on its grouping, the blocks of
/// fold_order.h are segments of that part, so that one rank reduces each; all ranks then combine them in order.
bool DividedKernel::run_part(const KernelCall& call) {
  const bool by_blocks = any_rounds(call);
  const auto segments_of = [&](Range part) {
    return by_blocks ? (part.size() + kFoldBlock - 1) / kFoldBlock : std::int64_t{part.empty() ? 0 : 1};
  };
  const Range part = group_.part(call.elements);
  const std::int64_t segments = segments_of(part);
  SegmentDescriptor local = SegmentDescriptor::single(part.size());
  Scratch offsets;
  if (by_blocks && segments > 1) {
    local = {segments, part.size(), kFoldBlock, nullptr, nullptr};
    if (part.size() % kFoldBlock != 0) {
      offsets = scratch_for(group_, ElemType::kI64, segments + 1);
      for (std::int64_t k = 0; k <= segments; ++k)
        offsets.as<std::int64_t>()[k] = std::min(k * kFoldBlock, part.size());
      local.regular_length = -1;
      local.offsets = offsets.as<std::int64_t>();
    }
  }
  std::vector<Operand> operands = inputs_->expand(call.operands);
  for (Operand& operand : operands)
    if (group_.is_divided(operand.length)) operand = elements_of(operand, part);
  const std::vector<Scratch> spread =
      inputs_->set_for_part(group_, part.begin, segments, kFoldBlock, call.operands, operands);
  std::vector<SegmentDescriptor> descriptors = inputs_->expand(call.descriptors);
  for (SegmentDescriptor& descriptor : descriptors)
    if (group_.is_divided(descriptor.elements)) descriptor = local;
  std::vector<Result> results = inputs_->expand(call.results);
  for (Result& result : results)
    if (result.data != nullptr && group_.is_divided(result.length)) result = elements_of(result, part);

  // A number for faults, then the folds of each reduction, each in 8 bytes.
  const auto reductions = static_cast<std::int64_t>(reduced_.size());
  const Scratch folds = scratch_for(group_, ElemType::kI64, reductions * segments);
  for (std::size_t k = 0; k < reduced_.size(); ++k) {
    Result& result = results[inputs_->number(reduced_[k].value)];
    result = {result.type, segments, folds.as<std::int64_t>() + static_cast<std::int64_t>(k) * segments};
  }
  bool is_good = true;
  if (!part.empty()) {
    std::vector<std::int64_t> kept(results.size());
    is_good = run_here({part.size(), operands, descriptors, results, kept});
  }
  if (!can_fault_ && reductions == 0) {
    VC_CHECK(is_good);
    return true;
  }

  const auto entries_of = [&](int rank) {
    return static_cast<std::size_t>(1 + reductions * segments_of(group_.distribution.part(call.elements, rank)));
  };
  std::vector<std::int64_t> mine(entries_of(group_.rank()));
  mine[0] = is_good ? 0 : 1;
  std::copy_n(folds.as<std::int64_t>(), mine.size() - 1, mine.begin() + 1);
  std::vector<std::size_t> bytes;
  std::size_t count = 0;
  for (int r = 0; r < group_.ranks(); ++r) {
    bytes.push_back(entries_of(r) * sizeof(std::int64_t));
    count += entries_of(r);
  }
  std::vector<std::int64_t> all(count);
  group_.messenger.gather_to_all(mine.data(), bytes, all.data());
  const std::int64_t* of_rank = all.data();
  for (int r = 0; r < group_.ranks(); of_rank += entries_of(r++)) is_good = is_good && of_rank[0] == 0;
  if (!is_good) return false;
  for (std::size_t k = 0; k < reduced_.size(); ++k) {
    const Result& result = call.results[reduced_[k].value];
    with_monoid(reduced_[k].monoid, result.type, [&]<class M, class T>() {
      T fold = M::template identity<T>();
      of_rank = all.data();
      for (int r = 0; r < group_.ranks(); of_rank += entries_of(r++)) {
        const std::int64_t parts = segments_of(group_.distribution.part(call.elements, r));
        const auto* const values = reinterpret_cast<const T*>(of_rank + 1 + static_cast<std::int64_t>(k) * parts);
        for (std::int64_t j = 0; j < parts; ++j) fold = M::template combine<T>(values[j], fold);
      }
      *static_cast<T*>(result.data) = fold;
    });
  }
  return true;
}

}  // namespace cvl::mpi
