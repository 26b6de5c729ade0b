#include "operations/operations.h"

#include "base/check.h"
#include "base/streaming.h"
#include "operations/context.h"
#include "tuning/chunk_tuning.h"
#include "tuning/streaming_tuning.h"

namespace cvl::cpu {

void run(Context& context, const Reduce& reduce) {
  ReduceKernels::Chunks* chunks = context.kernels.reduce.chunks.at(reduce.monoid, reduce.a.type);
  VC_CHECK(chunks != nullptr && reduce.result.length == reduce.descriptor.segments);
  const bool by_blocks = rounds(reduce.monoid, reduce.a.type);
  const Partition partition(reduce.descriptor, kChunkItems, {by_blocks ? kFoldBlock : 1, true});
  if (partition.chunks() == 1) {
    ReduceKernels::Edges edges;
    chunks(reduce.a.data, reduce.descriptor, partition.chunk(0), reduce.result.data, edges, false, kAheadBytes);
    return;
  }
  const std::int64_t most_blocks = by_blocks ? kMostBlocks : 1;
  auto edges = context.arena.scratch<ReduceKernels::Edges>(partition.chunks());
  auto blocks = context.arena.scratch<Slot>(partition.chunks() * most_blocks);
  if (!edges || !blocks)
    return context.out_of_memory(partition.chunks() * (sizeof(ReduceKernels::Edges) + most_blocks * sizeof(Slot)));
  const bool stream = stream_result(reduce.result);
  context.parallel.for_each(partition.chunks(), [&](std::int64_t p) {
    edges[p].blocks = blocks.get() + p * most_blocks;
    chunks(reduce.a.data, reduce.descriptor, partition.chunk(p), reduce.result.data, edges[p], stream, kAheadBytes);
  });
  context.kernels.reduce.join.at(reduce.monoid, reduce.a.type)(reduce.descriptor, edges.get(), partition.chunks(),
                                                               reduce.result.data);
}

}  // namespace cvl::cpu
