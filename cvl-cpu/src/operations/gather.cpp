#include "operations/operations.h"

#include <cstring>

#include "base/check.h"
#include "operations/context.h"
#include "tuning/chunk_tuning.h"

namespace cvl::cpu {
void gather(Context& context, const Gather& g, Result result) {
  GatherKernels::Gather* kernel =
      context.kernels.gather.gather[static_cast<int>(result.type)][static_cast<int>(g.indices.type)];
  const bool* flags = g.flags != nullptr ? static_cast<const bool*>(g.flags->data) : nullptr;
  VC_CHECK(kernel != nullptr && g.from.segments == g.to.segments && result.length == g.to.elements);
  const Partition partition(g.to, kGatherChunkItems);
  context.faults.begin_operation();
  context.parallel.for_each(partition.chunks(), [&](std::int64_t p) {
    context.faults.check(kernel(g.source.data, g.indices.data, flags, g.from, g.to, partition.chunk(p), result.data));
  });
}

void extract(Context& context, Operand a, Operand i, const SegmentDescriptor& descriptor, Result result) {
  GatherKernels::Extract* kernel = context.kernels.gather.extract[static_cast<int>(a.type)][static_cast<int>(i.type)];
  VC_CHECK(kernel != nullptr && i.length == descriptor.segments && result.length == descriptor.segments);
  context.faults.begin_operation();
  context.parallel.for_ranges(descriptor.segments, kExtractBlock, [&](std::int64_t begin, std::int64_t end) {
    context.faults.check(kernel(a.data, i.data, descriptor, begin, end, result.data));
  });
}

void replace(Context& context, Operand a, Operand i, Operand v, const SegmentDescriptor& descriptor, Result result) {
  GatherKernels::Replace* kernel = context.kernels.gather.replace[static_cast<int>(a.type)][static_cast<int>(i.type)];
  VC_CHECK(kernel != nullptr && i.length == descriptor.segments && v.length == descriptor.segments &&
           result.length == a.length);
  context.faults.begin_operation();
  if (a.data != result.data) {
    const auto bytes = a.length * static_cast<std::int64_t>(elem_size(a.type));
    context.parallel.for_ranges(bytes, kBytesBlock, [&](std::int64_t begin, std::int64_t end) {
      std::memcpy(static_cast<char*>(result.data) + begin, static_cast<const char*>(a.data) + begin,
                  static_cast<std::size_t>(end - begin));
    });
  }
  context.parallel.for_ranges(descriptor.segments, kExtractBlock, [&](std::int64_t begin, std::int64_t end) {
    context.faults.check(kernel(result.data, i.data, v.data, descriptor, begin, end));
  });
}

}  // namespace cvl::cpu
