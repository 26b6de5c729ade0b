#include "operations/operations.h"

#include "base/check.h"
#include "base/streaming.h"
#include "operations/context.h"
#include "tuning/chunk_tuning.h"
#include "tuning/streaming_tuning.h"

namespace cvl::cpu {

void reduce(Context& context, Monoid monoid, Operand a, const SegmentDescriptor& descriptor, Result result) {
  ReduceKernels::Chunks* chunks = context.kernels.reduce.chunks.at(monoid, a.type);
  VC_CHECK(chunks != nullptr && result.length == descriptor.segments);
  const bool by_blocks = rounds(monoid, a.type);
  const Partition partition(descriptor, kChunkItems, {by_blocks ? kFoldBlock : 1, true});
  if (partition.chunks() == 1) {
    ReduceKernels::Edges edges;
    chunks(a.data, descriptor, partition.chunk(0), result.data, edges, false, kAheadBytes);
    return;
  }
  const std::int64_t most_blocks = by_blocks ? kMostBlocks : 1;
  auto edges = context.arena.scratch<ReduceKernels::Edges>(partition.chunks());
  auto blocks = context.arena.scratch<Slot>(partition.chunks() * most_blocks);
  if (!edges || !blocks)
    return context.out_of_memory(partition.chunks() * (sizeof(ReduceKernels::Edges) + most_blocks * sizeof(Slot)));
  const bool stream = stream_result(result);
  context.parallel.for_each(partition.chunks(), [&](std::int64_t p) {
    edges[p].blocks = blocks.get() + p * most_blocks;
    chunks(a.data, descriptor, partition.chunk(p), result.data, edges[p], stream, kAheadBytes);
  });
  context.kernels.reduce.join.at(monoid, a.type)(descriptor, edges.get(), partition.chunks(), result.data);
}

}  // namespace cvl::cpu
