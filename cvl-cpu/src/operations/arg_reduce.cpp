#include "operations/arg_reduce.h"

#include "base/check.h"
#include "cvl/dispatch.h"
#include "operations/operations.h"
#include "tuning/piece_tuning.h"

namespace cvl::cpu {

void write_index(const AnyExtreme& extreme, const SegmentMap& map, std::int64_t k, const Result& result) {
  const std::int64_t begin = map.start(k), end = map.start(k + 1);
  with_int(result.type,
           [&]<class I>() { static_cast<I*>(result.data)[k] = index_of_extreme<I>(extreme.place, begin, end); });
}

ArgReduceKernels::Pieces* arg_reduce_kernel(const Kernels& kernels, Monoid monoid, ElemType type, ElemType result) {
  ArgReduceKernels::Pieces* found = kernels.arg_reduce.pieces[elem_size(result) == 8].at(monoid, type);
  VC_CHECK(found != nullptr);
  return found;
}

void arg_reduce(Context& context, Monoid monoid, Operand a, const SegmentMap& map, Result result) {
  VC_CHECK(result.length == map.segments);
  ArgReduceKernels::Pieces* reduce = arg_reduce_kernel(context.kernels, monoid, a.type, result.type);
  const Partition partition(map, kPieceItems);
  const std::int64_t pieces = partition.pieces();
  auto edges = context.arena.scratch<ArgReduceKernels::Edges>(pieces);
  if (!edges) return context.out_of_memory(static_cast<std::size_t>(pieces) * sizeof(ArgReduceKernels::Edges));
  context.parallel.for_each(
      pieces, [&](std::int64_t p) { reduce(a.data, map, partition.piece(p), result.data, edges[p] = {}); });
  ArgReduceKernels::Follow* follow = context.kernels.arg_reduce.follow.at(monoid, a.type);
  AnyExtreme before = context.kernels.arg_reduce.none.at(monoid, a.type);
  for (std::int64_t p = 0; p < pieces; ++p) {
    const Piece piece = partition.piece(p);
    if (piece.segment_begin == piece.segment_end) {
      before = follow(edges[p].tail, before);
      continue;
    }
    if (map.start(piece.segment_begin) < piece.element_begin)
      write_index(follow(edges[p].head, before), map, piece.segment_begin, result);
    before = edges[p].tail;
  }
}

}  // namespace cvl::cpu
