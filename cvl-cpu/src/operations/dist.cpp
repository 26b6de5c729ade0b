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

void run(Context& context, const Dist& dist) {
  DistKernels::Dist* kernel = context.kernels.dist.dist[static_cast<int>(dist.result.type)];
  VC_CHECK(kernel != nullptr && dist.v.length == dist.descriptor.segments &&
           dist.result.length == dist.descriptor.elements);
  const bool stream = stream_result(dist.result);
  for_chunks(context, dist.descriptor,
             [&](const Chunk& chunk) { kernel(dist.v.data, dist.descriptor, chunk, dist.result.data, stream); });
}

void run(Context& context, const Index& index) {
  DistKernels::Index* kernel = context.kernels.dist.index[static_cast<int>(index.result.type)];
  VC_CHECK(kernel != nullptr && index.start.length == index.descriptor.segments &&
           index.stride.length == index.descriptor.segments);
  VC_CHECK(index.result.length == index.descriptor.elements);
  const bool stream = stream_result(index.result);
  for_chunks(context, index.descriptor, [&](const Chunk& chunk) {
    kernel(index.start.data, index.stride.data, index.descriptor, chunk, index.result.data, stream);
  });
}

}  // namespace cvl::cpu
