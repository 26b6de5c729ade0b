#include "batches/short_batch.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "batches/run_batch.h"
#include "cvl/dispatch.h"
#include "cvl/op_dispatch.h"
#include "executor/blocks.h"
#include "operations/rank_in_blocks.h"

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

std::optional<Step> step_of(const Elementwise& elementwise) {
  if (!is_short(elementwise.result.length)) return {};
  Step step = step_over(StepKind::kElementwise, {}, elementwise.result);
  step.op = elementwise.op;
  step.is_function = vcode::info(elementwise.op).is_function();
  step.type = elementwise.operands.back().type;
  for (std::size_t k = 0; k < elementwise.operands.size(); ++k) step.set(static_cast<int>(k), elementwise.operands[k]);
  return step;
}

std::optional<Step> step_of(const Scan& scan) {
  if (!are_short(scan.descriptor) || scan.a.on_host) return {};
  Step step = step_over(StepKind::kScan, scan.descriptor, scan.result);
  step.monoid = scan.monoid;
  step.set(0, scan.a);
  with_monoid(scan.monoid, scan.a.type, [&]<class M, class T>() {
    const T identity = M::template identity<T>(), empty_value = M::template empty_value<T>();
    step.set(1, {scan.a.type, 1, &identity, true});
    step.set(2, {scan.a.type, 1, &empty_value, true});
  });
  return step;
}

std::optional<Step> step_of(const Reduce& reduce) {
  std::optional<Step> step = step_of(Scan{reduce.monoid, reduce.a, reduce.descriptor, reduce.result});
  if (step) step->kind = StepKind::kReduce;
  return step;
}

std::optional<Step> step_of(const Gather& gather) {
  if (!are_short(gather.to)) return {};
  if (gather.flags && gather.flags->on_host) return {};
  Step step = step_over(StepKind::kGather, gather.to, gather.result);
  step.other = Segments(gather.from);
  step.set(0, gather.source);
  step.set(1, gather.indices);
  if (gather.flags) step.set(2, *gather.flags);
  return step;
}

std::optional<Step> step_of(const Extract& extract) {
  if (!is_short(extract.descriptor.segments)) return {};
  Step step = step_over(StepKind::kExtract, extract.descriptor, extract.result);
  step.set(0, extract.a);
  step.set(1, extract.i);
  return step;
}

std::optional<Step> step_of(const Replace& replace) {
  if (!is_short(replace.descriptor.elements) || !is_short(replace.descriptor.segments)) return {};
  Step step = step_over(StepKind::kReplace, replace.descriptor, replace.result);
  step.set(0, replace.a);
  step.set(1, replace.i);
  step.set(2, replace.v);
  return step;
}

std::optional<Step> step_of(const Scatter& scatter) {
  if (!are_short(scatter.from) || !is_short(scatter.result.length)) return {};
  if (scatter.flags && scatter.flags->on_host) return {};
  const bool has_defaults = scatter.defaults.has_value();
  Step step = step_over(has_defaults ? StepKind::kScatterLast : StepKind::kScatterOnce, scatter.from, scatter.result);
  step.other = Segments(scatter.to);
  step.set(0, scatter.source);
  step.set(1, scatter.indices);
  if (scatter.flags) step.set(2, *scatter.flags);
  if (has_defaults) step.set(3, *scatter.defaults);
  return step;
}

std::optional<Step> step_of(const Dist& dist) {
  if (!are_short(dist.descriptor)) return {};
  Step step = step_over(StepKind::kDist, dist.descriptor, dist.result);
  step.set(0, dist.v);
  return step;
}

std::optional<Step> step_of(const Index& index) {
  if (!are_short(index.descriptor)) return {};
  Step step = step_over(StepKind::kIndex, index.descriptor, index.result);
  step.set(0, index.start);
  step.set(1, index.stride);
  return step;
}

std::optional<Step> step_of(const Slice& slice) {
  if (!are_short(slice.descriptor)) return {};
  Step step = step_over(StepKind::kSlice, slice.descriptor, slice.result);
  step.other = Segments(SegmentDescriptor::single(slice.a.length));
  step.set(0, slice.a);
  step.set(1, slice.start);
  return step;
}

template <int n>
std::optional<Step> step_of_join(StepKind kind, const Join<n>& join, const Result& result) {
  if (!are_short(join.to)) return {};
  Step step = step_over(kind, join.to, result);
  step.other = Segments(join.parts[0].descriptor);
  for (int p = 0; p < n; ++p) {
    const auto& [a, descriptor] = join.parts[static_cast<std::size_t>(p)];
    step.set(p, a);
    if (p > 0) step.operands[2 + p] = {descriptor.offsets, static_cast<std::uint64_t>(descriptor.regular_length)};
  }
  return step;
}

std::optional<Step> step_of(const Append& append) {
  return step_of_join(StepKind::kAppend, append.join, append.result);
}

std::optional<Step> step_of(const Merge& merge) {
  if (merge.flags.on_host) return {};
  std::optional<Step> step = step_of_join(StepKind::kMerge, merge.join, merge.result);
  if (step) step->set(2, merge.flags);
  return step;
}

std::optional<Step> step_of_chosen(const Operand& flags, const BitPlan& plan) {
  if (flags.on_host || !is_short(flags.length)) return {};
  const Result words{ElemType::kI64, head_words(flags.length), plan.words.data()};
  Step step = step_over(StepKind::kChosen, {flags.length, flags.length, 1}, words);
  step.operands[1].data = plan.bases.data();
  step.set(2, flags);
  return step;
}

std::optional<Step> step_of(const MakeOffsets& offsets) {
  const std::int64_t entries = offsets.lengths.length + 1;
  if (entries == 1 || entries > kOffsetsInLine) return {};
  Step step = step_over(StepKind::kOffsets, {}, {ElemType::kI64, entries, offsets.result.data});
  step.set(0, offsets.lengths);
  step.operands[1].data = offsets.nonempty.data;
  return step;
}

std::optional<Step> step_of(const MakeSegmentHeads& heads) {
  if (heads.descriptor.elements > kHeadsInLine || !is_short(heads.descriptor.segments)) return {};
  return step_over(StepKind::kHeads, heads.descriptor, heads.result);
}

std::optional<Step> step_of(const Rank& rank) {
  if (!are_short(rank.descriptor) || rank.descriptor.elements > kRankedInBlock) return {};
  Step step = step_over(StepKind::kRank, rank.descriptor, rank.result);
  step.type = rank.a.type;
  step.descending = rank.descending;
  step.set(0, rank.a);
  return step;
}

bool ShortBatch::refers_to(const void* data, std::size_t bytes) const {
  if (deliveries_.fill(data, bytes)) return true;
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

bool ShortBatch::launch(Executor& executor, const Letters& letters) {
  const Faults faults = executor.faults(0);
  Batch batch;
  batch.record = faults.record;
  batch.known = faults.known;
  batch.count = std::exchange(count_, 0);
  batch.replies = letters.reply.is_wanted() && batch.count <= Batch::kMostWithReply;
  for (int k = 0; k < batch.count; ++k) batch.step(k) = steps_[static_cast<std::size_t>(k)];
  if (batch.replies) batch.rest.letters = letters;
  batch.deliveries = deliveries_;
  deliveries_.clear();
  try {
    run_batch(executor, batch);
  } catch (const OutOfMemory&) {
    batch.deliveries.for_each([&](void* to, const void* from, std::size_t bytes) { executor.upload(to, from, bytes); });
    throw;
  }
  batch.deliveries.for_each([&](void*, const void*, std::size_t bytes) { executor.count_delivery(bytes); });
  return batch.replies;
}

}  // namespace cvl::cuda
