#include "operations/operations.h"

#include "base/check.h"
#include "base/streaming.h"
#include "operations/context.h"
#include "tuning/piece_tuning.h"
#include "tuning/streaming_tuning.h"

namespace cvl::cpu {

void reduce(Context& context, Monoid monoid, Operand a, const SegmentMap& map, Result result) {
  ReduceKernels::Pieces* pieces = context.kernels.reduce.pieces.at(monoid, a.type);
  VC_CHECK(pieces != nullptr && result.length == map.segments);
  const bool by_blocks = rounds(monoid, a.type);
  const Partition partition(map, kPieceItems, {by_blocks ? kFoldBlock : 1, true});
  if (partition.pieces() == 1) {
    ReduceKernels::Edges edges;
    pieces(a.data, map, partition.piece(0), result.data, edges, false, kAheadBytes);
    return;
  }
  const std::int64_t most_blocks = by_blocks ? kMostBlocks : 1;
  auto edges = context.arena.scratch<ReduceKernels::Edges>(partition.pieces());
  auto blocks = context.arena.scratch<Slot>(partition.pieces() * most_blocks);
  if (!edges || !blocks)
    return context.out_of_memory(partition.pieces() * (sizeof(ReduceKernels::Edges) + most_blocks * sizeof(Slot)));
  const bool stream = stream_result(result);
  context.parallel.for_each(partition.pieces(), [&](std::int64_t p) {
    edges[p].blocks = blocks.get() + p * most_blocks;
    pieces(a.data, map, partition.piece(p), result.data, edges[p], stream, kAheadBytes);
  });
  context.kernels.reduce.join.at(monoid, a.type)(map, edges.get(), partition.pieces(), result.data);
}

}  // namespace cvl::cpu
