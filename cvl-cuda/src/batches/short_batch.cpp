#include "batches/short_batch.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "batches/run_batch.h"
#include "cvl/dispatch.h"
#include "cvl/op_dispatch.h"
#include "executor/blocks.h"

namespace cvl::cuda {
namespace {

bool is_short(std::int64_t n) { return 0 < n && n <= kShort; }
/// True for few segments with few elements that are regular or have heads.
bool are_short(const SegmentDescriptor& descriptor) {
  return is_short(descriptor.elements) && is_short(descriptor.segments) &&
         (descriptor.is_regular() || descriptor.heads != nullptr);
}

Step step_over(StepKind kind, const SegmentDescriptor& descriptor, const Result& result) {
  Step step;
  step.kind = kind;
  step.type = step.result = result.type;
  step.length = result.length;
  step.to = result.data;
  step.over = Segments(descriptor);
  return step;
}

}  // namespace

std::optional<Step> elementwise_step(Op op, std::span<const Operand> operands, const Result& result) {
  if (!is_short(result.length)) return {};
  Step step = step_over(StepKind::kElementwise, {}, result);
  step.op = op;
  step.is_function = vcode::info(op).is_function();
  step.type = operands.back().type;
  for (std::size_t k = 0; k < operands.size(); ++k) step.set(static_cast<int>(k), operands[k]);
  return step;
}

std::optional<Step> scan_step(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor,
                              const Result& result) {
  if (!are_short(descriptor) || a.on_host) return {};
  Step step = step_over(StepKind::kScan, descriptor, result);
  step.monoid = monoid;
  step.set(0, a);
  with_monoid(monoid, a.type, [&]<class M, class T>() {
    const T identity = M::template identity<T>(), empty_value = M::template empty_value<T>();
    step.set(1, {a.type, 1, &identity, true});
    step.set(2, {a.type, 1, &empty_value, true});
  });
  return step;
}

std::optional<Step> reduce_step(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor,
                                const Result& result) {
  std::optional<Step> step = scan_step(monoid, a, descriptor, result);
  if (step) step->kind = StepKind::kReduce;
  return step;
}

std::optional<Step> gather_step(const Gather& gather, const Result& result) {
  if (!are_short(gather.to)) return {};
  if (gather.flags != nullptr && gather.flags->on_host) return {};
  Step step = step_over(StepKind::kGather, gather.to, result);
  step.other = Segments(gather.from);
  step.set(0, gather.source);
  step.set(1, gather.indices);
  if (gather.flags != nullptr) step.set(2, *gather.flags);
  return step;
}

std::optional<Step> extract_step(const Operand& a, const Operand& i, const SegmentDescriptor& descriptor,
                                 const Result& result) {
  if (!is_short(descriptor.segments)) return {};
  Step step = step_over(StepKind::kExtract, descriptor, result);
  step.set(0, a);
  step.set(1, i);
  return step;
}

std::optional<Step> replace_step(const Operand& a, const Operand& i, const Operand& v,
                                 const SegmentDescriptor& descriptor, const Result& result) {
  if (!is_short(descriptor.elements) || !is_short(descriptor.segments)) return {};
  Step step = step_over(StepKind::kReplace, descriptor, result);
  step.set(0, a);
  step.set(1, i);
  step.set(2, v);
  return step;
}

std::optional<Step> scatter_step(const Scatter& scatter, const Result& result) {
  if (!are_short(scatter.from) || !is_short(result.length)) return {};
  if (scatter.flags != nullptr && scatter.flags->on_host) return {};
  const bool has_defaults = scatter.defaults != nullptr;
  Step step = step_over(has_defaults ? StepKind::kScatterLast : StepKind::kScatterOnce, scatter.from, result);
  step.other = Segments(scatter.to);
  step.set(0, scatter.source);
  step.set(1, scatter.indices);
  if (scatter.flags != nullptr) step.set(2, *scatter.flags);
  if (has_defaults) step.set(3, *scatter.defaults);
  return step;
}

std::optional<Step> dist_step(const Operand& v, const SegmentDescriptor& descriptor, const Result& result) {
  if (!are_short(descriptor)) return {};
  Step step = step_over(StepKind::kDist, descriptor, result);
  step.set(0, v);
  return step;
}

std::optional<Step> index_step(const Operand& start, const Operand& stride, const SegmentDescriptor& descriptor,
                               const Result& result) {
  if (!are_short(descriptor)) return {};
  Step step = step_over(StepKind::kIndex, descriptor, result);
  step.set(0, start);
  step.set(1, stride);
  return step;
}

std::optional<Step> slice_step(const Operand& a, const Operand& start, const SegmentDescriptor& descriptor,
                               const Result& result) {
  if (!are_short(descriptor)) return {};
  Step step = step_over(StepKind::kSlice, descriptor, result);
  step.other = Segments(SegmentDescriptor::single(a.length));
  step.set(0, a);
  step.set(1, start);
  return step;
}

std::optional<Step> append_step(const Join& join, const Result& result) {
  if (!are_short(join.to)) return {};
  Step step = step_over(StepKind::kAppend, join.to, result);
  step.other = Segments(join.of_a);
  step.set(0, join.a);
  step.set(1, join.b);
  step.operands[2] = {join.of_b.offsets, static_cast<std::uint64_t>(join.of_b.regular_length)};
  return step;
}

std::optional<Step> merge_step(const Operand& flags, const Join& join, const Result& result) {
  if (flags.on_host) return {};
  std::optional<Step> step = append_step(join, result);
  if (!step) return {};
  step->kind = StepKind::kMerge;
  step->set(3, flags);
  return step;
}

std::optional<Step> heads_step(const SegmentDescriptor& descriptor, const Result& heads, const Result& nonempty) {
  if (!is_short(descriptor.elements) || !is_short(descriptor.segments)) return {};
  Step step = step_over(StepKind::kHeads, descriptor, heads);
  step.operands[0].data = nonempty.data;
  return step;
}

std::optional<Step> rank_step(bool descending, const Operand& a, const SegmentDescriptor& descriptor,
                              const Result& result) {
  if (!are_short(descriptor) || descriptor.elements > kRankedInLine) return {};
  Step step = step_over(StepKind::kRank, descriptor, result);
  step.type = a.type;
  step.descending = descending;
  step.set(0, a);
  return step;
}

bool ShortBatch::refers_to(const void* data) const {
  return std::any_of(steps_.begin(), steps_.begin() + count_, [=](const Step& step) {
    const auto is_of = [=](const Segments& s) { return s.offsets == data || s.heads == data || s.nonempty == data; };
    return step.to == data || is_of(step.over) || is_of(step.other) ||
           std::any_of(std::begin(step.operands), std::end(step.operands),
                       [=](const Source& operand) { return operand.data == data; });
  });
}

void ShortBatch::add(const Step& step, std::uint32_t site) {
  VC_CHECK(!is_full());
  Step& added = steps_[static_cast<std::size_t>(count_++)];
  added = step;
  added.site = site;
}

void ShortBatch::launch(Executor& executor) {
  const Faults faults = executor.faults(0);
  Batch batch{faults.record, faults.known, std::exchange(count_, 0), {}};
  std::copy_n(steps_.begin(), batch.count, batch.steps);
  run_batch(executor, batch);
}

}  // namespace cvl::cuda
