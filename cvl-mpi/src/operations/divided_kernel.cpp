#include "operations/divided_kernel.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "cvl/fold_order.h"
#include "cvl/op_dispatch.h"
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
  inputs_.emplace(scatters_.kernel());
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
  if (made->part_plan_ != nullptr && made->scatters_.empty()) return made;
  made->whole_plan_ = group.inner.plan_kernel(kernel, facts, widths, location);
  return made->whole_plan_ == nullptr ? nullptr : std::move(made);
}

/// Finds the facts about the steps. False if ranks cannot compute parts of the kernel.
bool DividedKernel::look_at_steps(const vcode::Kernel& kernel, const vcode::KernelFacts& facts) {
  for (const vcode::Kernel::Step& step : kernel.steps) {
    if (step.is_constant()) continue;
    const vcode::OpInfo& op = vcode::info(step.op);
    if (facts.producers[step.results[0]] == Producer::kScatter) continue;
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
      is_read_[v] = true;
      const Reader reader = vcode::reader_of(step.op, static_cast<int>(k));
      if (reader == Reader::kTable) is_table_[v] = true;
      const bool is_given = facts.producers[v] == Producer::kInput || facts.producers[v] == Producer::kConstant;
      if (reader == Reader::kSpread && !is_given) return false;
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
/// and their segments are on every rank. Vectors that only scatters read may have any segments.
bool DividedKernel::can_divide(const KernelCall& call) const {
  if (!inputs_ || !group_.is_divided(call.elements)) return false;
  if (any_rounds(call) && (gathers_ || group_.distribution.block() % kFoldBlock != 0)) return false;
  for (std::size_t v = 0; v < call.operands.size(); ++v) {
    if (!is_read_[v]) continue;
    const std::int64_t length = call.operands[v].length;
    const SegmentDescriptor& descriptor = call.descriptors[v];
    if (group_.is_divided(length) && (length != call.elements || is_table_[v])) return false;
    if (descriptor.segments > 1) return false;
    if (group_.is_divided(descriptor.elements) && descriptor.elements != call.elements) return false;
  }
  return true;
}

bool DividedKernel::run(const KernelCall& call) {
  const auto is_divided = [&](const auto& vector) { return group_.is_divided(vector); };
  const bool any_divided = group_.is_divided(call.elements) || std::ranges::any_of(call.operands, is_divided) ||
                           std::ranges::any_of(call.results, is_divided) ||
                           std::ranges::any_of(call.descriptors, is_divided);
  if (any_divided) return can_divide(call) && run_part(call);
  if (whole_plan_ != nullptr) return run_here(*whole_plan_, call);
  std::vector<Operand> operands = inputs_->expand(call.operands);
  inputs_->set_same(call.operands, operands);
  std::vector<std::int64_t> kept = inputs_->expand(std::span<const std::int64_t>(call.kept));
  return run_here(*part_plan_,
                  {call.elements, operands, inputs_->expand(call.descriptors), inputs_->expand(call.results), kept});
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

/// Runs the kernel on this rank's part of the index space. Where a reduction depends on its grouping, the blocks of
/// fold_order.h are segments of that part, so that one rank reduces each; all ranks then combine them in order. The
/// scatters follow.
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
  const auto members = [&]<class T>(std::span<const T> of_call) {
    const std::vector<T> others = scatters_.without_results(of_call);
    return inputs_->expand(std::span<const T>(others));
  };
  std::vector<Operand> operands = members(call.operands);
  for (Operand& operand : operands)
    if (group_.is_divided(operand.length)) operand = elements_of(operand, part);
  const std::vector<Scratch> spread = inputs_->set_for_part(group_, part.begin, segments, kFoldBlock,
                                                            scatters_.without_results(call.operands), operands);
  std::vector<SegmentDescriptor> descriptors = members(call.descriptors);
  for (SegmentDescriptor& descriptor : descriptors)
    if (group_.is_divided(descriptor)) descriptor = local;
  std::vector<Result> results = members(call.results);
  for (Result& result : results)
    if (result.data != nullptr && group_.is_divided(result.length)) result = elements_of(result, part);

  const auto result_of = [&](std::size_t v) -> Result& { return results[inputs_->number(scatters_.number(v))]; };
  std::vector<Scratch> computed;
  for (std::size_t k = 0; k < scatters_.computed().size(); ++k) {
    computed.push_back(scratch_for(group_, types_of_computed_[k], part.size()));
    result_of(scatters_.computed()[k]) = {types_of_computed_[k], part.size(), computed.back().data()};
  }
  const auto reductions = static_cast<std::int64_t>(reduced_.size());
  const Scratch folds = scratch_for(group_, ElemType::kI64, reductions * segments);
  for (std::size_t k = 0; k < reduced_.size(); ++k) {
    Result& result = result_of(reduced_[k].value);
    result = {result.type, segments, folds.as<std::int64_t>() + static_cast<std::int64_t>(k) * segments};
  }
  bool is_good = true;
  if (!part.empty()) {
    std::vector<std::int64_t> kept(results.size());
    is_good = run_here(*part_plan_, {part.size(), operands, descriptors, results, kept});
  }
  if (!can_fault_) VC_CHECK(is_good);
  Scattered scattered{is_good, {}};
  if (!scatters_.empty()) scattered = scatter(call, computed, is_good);
  if (!can_fault_ && reductions == 0 && scatters_.empty()) return true;
  return combine(call, scattered, segments_of, folds.as<std::int64_t>());
}

/// Combines the folds of the reductions, each in 8 bytes, in the order of the segments, and finishes results of scatters.
/// False if some rank has found a fault. One round of messages.
bool DividedKernel::combine(const KernelCall& call, const Scattered& scattered,
                            const std::function<std::int64_t(Range)>& segments_of, const std::int64_t* folds) {
  // A number for faults, then the folds of each reduction.
  const auto entries_of = [&](int rank) {
    const auto segments = static_cast<std::size_t>(segments_of(group_.distribution.part(call.elements, rank)));
    return 1 + reduced_.size() * segments;
  };
  std::vector<std::int64_t> mine(entries_of(group_.rank()));
  mine[0] = scattered.is_good ? 0 : 1;
  std::copy_n(folds, mine.size() - 1, mine.begin() + 1);
  std::vector<std::size_t> bytes;
  std::size_t count = 0;
  for (int r = 0; r < group_.ranks(); ++r) {
    bytes.push_back(entries_of(r) * sizeof(std::int64_t));
    count += entries_of(r);
  }
  std::vector<std::int64_t> all(count);
  std::vector<GatheredBytes> gathered = {{mine.data(), std::move(bytes), all.data()}};
  for (const PartialResult& result : scattered.replicated) gathered.push_back(result.bytes_to_gather());
  gather_to_all(group_, gathered);
  bool is_good = true;
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

/// Runs the scatters, of which this rank's part of some operands is `computed`, without sense if it is at fault.
Scattered DividedKernel::scatter(const KernelCall& call, const std::vector<Scratch>& computed, bool is_good) {
  const Range part = group_.part(call.elements);
  if (!is_good)  // flags are flags, too
    for (std::size_t k = 0; k < computed.size(); ++k)
      if (!part.empty()) std::memset(computed[k].data(), 0, size_of(types_of_computed_[k], part.size()));
  Scattered scattered = scatters_.run(context_, call, [&](std::size_t v) -> Operand {
    if (call.operands[v].data != nullptr) return call.operands[v];
    const auto found = std::ranges::find(scatters_.computed(), v);
    if (found == scatters_.computed().end()) return operand_of(call.results[v]);
    const auto k = static_cast<std::size_t>(found - scatters_.computed().begin());
    // As if the elements of other ranks were there, too, which nothing reads.
    const ElemType type = types_of_computed_[k];
    return {type, call.elements, computed[k].as<std::byte>() - size_of(type, part.begin)};
  });
  scattered.is_good = scattered.is_good && is_good;
  return scattered;
}

}  // namespace cvl::mpi
