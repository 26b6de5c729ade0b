#include "operations/operations.h"

#include "base/check.h"
#include "base/streaming.h"
#include "operations/context.h"
#include "tuning/piece_tuning.h"

namespace cvl::cpu {
namespace {

template <class Body>
void for_pieces(Context& context, const SegmentMap& map, Body&& body) {
  const Partition partition(map, kDistPieceItems);
  context.parallel.for_each(partition.pieces(), [&](std::int64_t p) { body(partition.piece(p)); });
}

}  // namespace

void dist(Context& context, Operand v, const SegmentMap& map, Result result) {
  DistKernels::Dist* kernel = context.kernels.dist.dist[static_cast<int>(result.type)];
  VC_CHECK(kernel != nullptr && v.length == map.segments && result.length == map.elements);
  const bool stream = stream_filled(result);
  for_pieces(context, map, [&](const Piece& piece) { kernel(v.data, map, piece, result.data, stream); });
}

void index(Context& context, Operand start, Operand stride, const SegmentMap& map, Result result) {
  DistKernels::Index* kernel = context.kernels.dist.index[static_cast<int>(result.type)];
  VC_CHECK(kernel != nullptr && start.length == map.segments && stride.length == map.segments);
  VC_CHECK(result.length == map.elements);
  const bool stream = stream_filled(result);
  for_pieces(context, map,
             [&](const Piece& piece) { kernel(start.data, stride.data, map, piece, result.data, stream); });
}

}  // namespace cvl::cpu
