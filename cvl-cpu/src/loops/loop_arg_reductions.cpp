/// Arg-reductions around the compiled loop.

#include <algorithm>

#include "loops/loop_worker.h"
#include "operations/arg_reduce.h"
#include "vcode/kernel_rules.h"

namespace cvl::cpu {

using vcode::KernelVar;
using vcode::Producer;

void LoopWorker::enter_arg_reductions() {
  for (const Step& step : plan_.whole.steps)
    if (step.producer == Producer::kArgReduce) {
      ExtremeEdge& mine = extremes_[static_cast<std::size_t>(step.number)] = {};
      mine.extremes.tail = kernels().arg_reduce.none.at(monoid(step), plan_.values[step.step->operands[0]].type);
    }
}

/// Writes the results of the segments that end in the tile. The partial result of the last, open segment is kept in the
/// tail of the worker's edge.
void LoopWorker::arg_reduce(const Step& step) {
  const KernelVar a = step.step->operands[0];
  const ElemType type = plan_.values[a].type;
  const SegmentDescriptor& descriptor = descriptor_of(step);
  const Chunk& tile = tile_of(step);
  const Result& result = run_.call.results[step.step->results[0]];
  ExtremeEdge& mine = extremes_[static_cast<std::size_t>(step.number)];
  AnyExtreme& open = mine.extremes.tail;
  ArgReduceKernels::Edges found{.head = {}, .tail = open};
  arg_reduce_kernel(kernels(), monoid(step), type, result.type)(base(a), descriptor, tile, result.data, found);
  ArgReduceKernels::Follow* follow = kernels().arg_reduce.follow.at(monoid(step), type);
  if (tile.segment_begin == tile.segment_end) {
    open = follow(found.tail, open);
    return;
  }
  const AnyExtreme head = follow(found.head, open);
  const std::int64_t start = descriptor.start(tile.segment_begin);
  if (start < begin_) write_index(head, descriptor, tile.segment_begin, result);
  if (mine.first < 0) {
    mine.first = tile.segment_begin;
    mine.extremes.head = head;
    mine.joins = start < chunks_[static_cast<std::size_t>(step.segmentation)].element_begin;
  }
  open = found.tail;
}

void LoopWorker::note_extremes() {
  for (std::size_t k = 0; k < extremes_.size(); ++k) run_.extreme_edge(p_, static_cast<int>(k)) = extremes_[k];
}

/// Combines, in order, the partial results of segments that extend over several chunks.
void LoopRun::join_arg_reduction(const LoopPlan::Step& step) {
  const ElemType type = plan.values[step.step->operands[0]].type;
  const Monoid monoid = vcode::info(step.step->op).monoid;
  ArgReduceKernels::Follow* follow = context.kernels.arg_reduce.follow.at(monoid, type);
  AnyExtreme before = context.kernels.arg_reduce.none.at(monoid, type);
  for (std::int64_t p = 0; p < chunks; ++p) {
    const ExtremeEdge& edge = extreme_edge(p, step.number);
    if (edge.first < 0) {
      before = follow(edge.extremes.tail, before);
      continue;
    }
    if (edge.joins)
      write_index(follow(edge.extremes.head, before), segmentations[static_cast<std::size_t>(step.segmentation)],
                  edge.first, call.results[step.step->results[0]]);
    before = edge.extremes.tail;
  }
}

}  // namespace cvl::cpu
