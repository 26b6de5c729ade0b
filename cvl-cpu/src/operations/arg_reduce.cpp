#include "operations/arg_reduce.h"

#include "base/check.h"
#include "cvl/dispatch.h"
#include "operations/operations.h"
#include "tuning/chunk_tuning.h"

namespace cvl::cpu {

void write_index(const AnyExtreme& extreme, const SegmentDescriptor& descriptor, std::int64_t k, const Result& result) {
  const std::int64_t begin = descriptor.start(k), end = descriptor.start(k + 1);
  with_int(result.type,
           [&]<class I>() { static_cast<I*>(result.data)[k] = index_of_extreme<I>(extreme.position, begin, end); });
}

ArgReduceKernels::Chunks* arg_reduce_kernel(const Kernels& kernels, Monoid monoid, ElemType type, ElemType result) {
  ArgReduceKernels::Chunks* found = kernels.arg_reduce.chunks[elem_size(result) == 8].at(monoid, type);
  VC_CHECK(found != nullptr);
  return found;
}

void run(Context& context, const ArgReduce& arg_reduce) {
  VC_CHECK(arg_reduce.result.length == arg_reduce.descriptor.segments);
  ArgReduceKernels::Chunks* reduce =
      arg_reduce_kernel(context.kernels, arg_reduce.monoid, arg_reduce.a.type, arg_reduce.result.type);
  const Partition partition(arg_reduce.descriptor, kChunkItems);
  const std::int64_t chunks = partition.chunks();
  auto edges = context.arena.scratch<ArgReduceKernels::Edges>(chunks);
  if (!edges) return context.out_of_memory(static_cast<std::size_t>(chunks) * sizeof(ArgReduceKernels::Edges));
  context.parallel.for_each(chunks, [&](std::int64_t p) {
    reduce(arg_reduce.a.data, arg_reduce.descriptor, partition.chunk(p), arg_reduce.result.data, edges[p] = {});
  });
  ArgReduceKernels::Follow* follow = context.kernels.arg_reduce.follow.at(arg_reduce.monoid, arg_reduce.a.type);
  AnyExtreme before = context.kernels.arg_reduce.none.at(arg_reduce.monoid, arg_reduce.a.type);
  for (std::int64_t p = 0; p < chunks; ++p) {
    const Chunk chunk = partition.chunk(p);
    if (chunk.segment_begin == chunk.segment_end) {
      before = follow(edges[p].tail, before);
      continue;
    }
    if (arg_reduce.descriptor.start(chunk.segment_begin) < chunk.element_begin)
      write_index(follow(edges[p].head, before), arg_reduce.descriptor, chunk.segment_begin, arg_reduce.result);
    before = edges[p].tail;
  }
}

}  // namespace cvl::cpu
