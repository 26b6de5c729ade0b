#include <algorithm>
#include <vector>

#include "base/check.h"
#include "operations/context.h"
#include "operations/operations.h"
#include "tuning/chunk_tuning.h"

namespace cvl::cpu {
namespace {

void check(const Context& context, const LengthFault& fault) {
  if (fault.any()) context.faults.report(FaultKind::kLengthMismatch, fault.segment, fault.found, fault.room);
}

/// Number of true flags before each of the ranges that end at `ends`; last, the number of all true flags.
std::vector<std::int64_t> count_before(Context& context, const bool* flags, const std::vector<std::int64_t>& ends) {
  std::vector<std::int64_t> before(ends.size() + 1);
  context.parallel.for_each(static_cast<std::int64_t>(ends.size()), [&](std::int64_t p) {
    const auto k = static_cast<std::size_t>(p);
    before[k + 1] = context.kernels.range.count_flags(flags, k == 0 ? 0 : ends[k - 1], ends[k]);
  });
  for (std::size_t k = 0; k < ends.size(); ++k) before[k + 1] += before[k];
  return before;
}

template <int n>
void check(const Join<n>& join, const Result& result) {
  VC_CHECK(join.elements() == join.to.elements && result.length == join.to.elements);
}

}  // namespace

void run(Context& context, const Slice& slice) {
  RangeKernels::Slice& kernel = context.kernels.range.slice_like(slice.a.type, slice.start.type);
  VC_CHECK(slice.start.length == slice.descriptor.segments && slice.result.length == slice.descriptor.elements);
  const Partition partition(slice.descriptor, kRangeChunkItems);
  context.faults.begin_operation();
  context.parallel.for_each(partition.chunks(), [&](std::int64_t p) {
    context.faults.check(kernel(slice.a.data, slice.a.length, slice.start.data, slice.descriptor, partition.chunk(p),
                                slice.result.data));
  });
}

void run(Context& context, const Append& append) {
  RangeKernels::Append& kernel = *context.kernels.range.append[RangeKernels::index_of(append.result.type)];
  check(append.join, append.result);
  const Partition partition(append.join.to, kRangeChunkItems);
  context.faults.begin_operation();
  context.parallel.for_each(partition.chunks(), [&](std::int64_t p) {
    check(context, kernel(append.join, partition.chunk(p), append.result.data));
  });
}

void run(Context& context, const Merge& merge) {
  const RangeKernels& kernels = context.kernels.range;
  const SegmentDescriptor &of_a = merge.join.parts[0].descriptor, &of_b = merge.join.parts[1].descriptor;
  check(merge.join, merge.result);
  VC_CHECK(of_a.segments + of_b.segments == merge.join.to.segments && merge.flags.length == merge.join.to.segments);
  const bool* const chosen = static_cast<const bool*>(merge.flags.data);
  const bool by_elements = merge.join.to.regular_length == 1 && of_a.regular_length == 1 && of_b.regular_length == 1;
  const Partition partition(merge.join.to, kRangeChunkItems);
  std::vector<Chunk> chunks;
  std::vector<std::int64_t> ends;  // ends of the last segment that ends in each chunk
  if (by_elements) {
    for (std::int64_t e = 0; e < merge.flags.length; e += kPackChunkItems)
      ends.push_back(std::min(merge.flags.length, e + kPackChunkItems));
  } else {
    chunks.resize(static_cast<std::size_t>(partition.chunks()));
    context.parallel.for_each(partition.chunks(),
                              [&](std::int64_t p) { chunks[static_cast<std::size_t>(p)] = partition.chunk(p); });
    for (const Chunk& chunk : chunks) ends.push_back(chunk.segment_end);
  }
  const std::vector<std::int64_t> before = count_before(context, chosen, ends);
  context.faults.begin_operation();
  if (before.back() != of_a.segments)
    return context.faults.report(FaultKind::kFlagCount, 0, before.back(), of_a.segments);
  const int size = RangeKernels::index_of(merge.result.type);
  context.parallel.for_each(static_cast<std::int64_t>(ends.size()), [&](std::int64_t p) {
    const auto k = static_cast<std::size_t>(p);
    if (by_elements)
      kernels.merge_elements[size](chosen, merge.join, before[k], k == 0 ? 0 : ends[k - 1], ends[k], merge.result.data);
    else
      check(context, kernels.merge[size](chosen, merge.join, before[k], chunks[k], merge.result.data));
  });
}

}  // namespace cvl::cpu
