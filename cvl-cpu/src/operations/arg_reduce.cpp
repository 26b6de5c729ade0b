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

void join_extremes(const Kernels& kernels, Monoid monoid, ElemType type, const SegmentDescriptor& descriptor,
                   std::span<const ChunkExtremes> chunks, const Result& result) {
  ArgReduceKernels::Follow* follow = kernels.arg_reduce.follow.at(monoid, type);
  AnyExtreme before = kernels.arg_reduce.none.at(monoid, type);
  for (const auto& [chunk, edges] : chunks) {
    if (chunk.segment_begin == chunk.segment_end) {
      before = follow(edges.tail, before);
      continue;
    }
    if (descriptor.start(chunk.segment_begin) < chunk.element_begin)
      write_index(follow(edges.head, before), descriptor, chunk.segment_begin, result);
    before = edges.tail;
  }
}

void run(Context& context, const ArgReduce& arg_reduce) {
  VC_CHECK(arg_reduce.result.length == arg_reduce.descriptor.segments);
  ArgReduceKernels::Chunks* reduce =
      arg_reduce_kernel(context.kernels, arg_reduce.monoid, arg_reduce.a.type, arg_reduce.result.type);
  const Partition partition(arg_reduce.descriptor, kChunkItems);
  const std::int64_t chunks = partition.chunks();
  auto extremes = context.arena.scratch<ChunkExtremes>(chunks);
  if (!extremes) return context.out_of_memory(static_cast<std::size_t>(chunks) * sizeof(ChunkExtremes));
  context.parallel.for_each(chunks, [&](std::int64_t p) {
    extremes[p] = {partition.chunk(p), {}};
    reduce(arg_reduce.a.data, arg_reduce.descriptor, extremes[p].chunk, arg_reduce.result.data, extremes[p].edges);
  });
  join_extremes(context.kernels, arg_reduce.monoid, arg_reduce.a.type, arg_reduce.descriptor,
                {extremes.get(), static_cast<std::size_t>(chunks)}, arg_reduce.result);
}

}  // namespace cvl::cpu
