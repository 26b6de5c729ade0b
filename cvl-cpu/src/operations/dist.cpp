#include "operations/operations.h"

#include "base/check.h"
#include "base/streaming.h"
#include "operations/context.h"
#include "tuning/chunk_tuning.h"

namespace cvl::cpu {
namespace {

template <class Body>
void for_chunks(Context& context, const SegmentDescriptor& descriptor, Body&& body) {
  const Partition partition(descriptor, kDistChunkItems);
  context.parallel.for_each(partition.chunks(), [&](std::int64_t p) { body(partition.chunk(p)); });
}

}  // namespace

void dist(Context& context, Operand v, const SegmentDescriptor& descriptor, Result result) {
  DistKernels::Dist* kernel = context.kernels.dist.dist[static_cast<int>(result.type)];
  VC_CHECK(kernel != nullptr && v.length == descriptor.segments && result.length == descriptor.elements);
  const bool stream = stream_filled(result);
  for_chunks(context, descriptor, [&](const Chunk& chunk) { kernel(v.data, descriptor, chunk, result.data, stream); });
}

void index(Context& context, Operand start, Operand stride, const SegmentDescriptor& descriptor, Result result) {
  DistKernels::Index* kernel = context.kernels.dist.index[static_cast<int>(result.type)];
  VC_CHECK(kernel != nullptr && start.length == descriptor.segments && stride.length == descriptor.segments);
  VC_CHECK(result.length == descriptor.elements);
  const bool stream = stream_filled(result);
  for_chunks(context, descriptor,
             [&](const Chunk& chunk) { kernel(start.data, stride.data, descriptor, chunk, result.data, stream); });
}

}  // namespace cvl::cpu
