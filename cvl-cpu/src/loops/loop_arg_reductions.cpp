/// Arg-reductions around the compiled loop.

#include "loops/loop_worker.h"

namespace cvl::cpu {

using vcode::Producer;

void LoopWorker::enter_arg_reductions() {
  for (const Step& step : plan_.whole.steps)
    if (step.producer == Producer::kArgReduce) {
      ChunkExtremes& mine = extremes_[static_cast<std::size_t>(step.number)];
      mine = {chunks_[static_cast<std::size_t>(step.segmentation)], {}};
      mine.edges.tail = kernels().arg_reduce.none.at(monoid(step), type_of_operand(step));
    }
}

/// Writes the results of the segments that end in the tile. The tail of the chunk is the partial result of the segment
/// that is open at the end of the tile; its head that of the first segment that ends in the chunk.
void LoopWorker::arg_reduce(const Step& step) {
  const ElemType type = type_of_operand(step);
  const SegmentDescriptor& descriptor = descriptor_of(step);
  const Chunk& tile = tile_of(step);
  const Result& result = run_.call.results[step.step->results[0]];
  auto& [chunk, edges] = extremes_[static_cast<std::size_t>(step.number)];
  ArgReduceKernels::Edges found{.head = {}, .tail = edges.tail};
  arg_reduce_kernel(kernels(), monoid(step), type, result.type)(base(step.step->operands[0]), descriptor, tile,
                                                                result.data, found);
  ArgReduceKernels::Follow* follow = kernels().arg_reduce.follow.at(monoid(step), type);
  if (tile.segment_begin == tile.segment_end) {
    edges.tail = follow(found.tail, edges.tail);
    return;
  }
  const AnyExtreme head = follow(found.head, edges.tail);
  if (descriptor.start(tile.segment_begin) < begin_) write_index(head, descriptor, tile.segment_begin, result);
  if (tile.segment_begin == chunk.segment_begin) edges.head = head;
  edges.tail = found.tail;
}

void LoopWorker::note_extremes() {
  for (std::size_t k = 0; k < extremes_.size(); ++k) run_.extremes(static_cast<int>(k))[p_] = extremes_[k];
}

}  // namespace cvl::cpu
