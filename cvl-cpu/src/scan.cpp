#include "scan.h"

#include <atomic>
#include <thread>

#include "context.h"
#include "streaming.h"

namespace cvl::cpu {
namespace {

/// What a piece passes to the next: the accumulation of the segment that reaches into it.
struct Carry {
  Slot value;
  std::atomic<bool> ready;
};

/// Waits for the piece before. Its thread took it before this piece was taken and is computing it now.
Slot wait(const Carry& carry) {
  for (int spins = 0; !carry.ready.load(std::memory_order_acquire); ++spins)
    if (spins > 1000) std::this_thread::yield();
  return carry.value;
}

}  // namespace

/// One traversal of memory: a thread takes a piece, folds the part of it that later pieces depend on
/// (which brings it into the cache), passes the sum on, and scans the piece. Pieces are taken in order, so
/// the wait for the sum of the piece before is short.
void scan(Context& context, Monoid monoid, Operand a, const SegmentMap& map, Result result) {
  const ScanKernels& kernels = context.kernels.scan;
  ScanKernels::Pieces* pieces = kernels.pieces.at(monoid, a.type);
  ScanKernels::Fold* fold = kernels.fold.at(monoid, a.type);
  ScanKernels::Combine* combine = kernels.combine.at(monoid, a.type);
  const Slot neutral = kernels.neutral.at(monoid, a.type);
  const Partition partition(map, kPieceItems);
  if (partition.pieces() <= 1) {
    if (partition.pieces() == 1) pieces(a.data, map, partition.piece(0), neutral, result.data, false);
    return;
  }
  const bool stream = a.data != result.data && stream_result(result);
  auto carries = context.arena.scratch<Carry>(partition.pieces());
  if (!carries) return context.out_of_memory(partition.pieces() * sizeof(Carry));
  for (std::int64_t p = 0; p < partition.pieces(); ++p) new (&carries[p]) Carry{0, false};

  context.parallel.for_each(partition.pieces(), [&](std::int64_t p) {
    const Piece piece = partition.piece(p);
    const bool begins_inside = map.start(piece.segment_begin) >= piece.element_begin;
    const bool ends_inside = piece.segment_end > piece.segment_begin;
    auto pass_on = [&](Slot value) {
      carries[p].value = value;
      carries[p].ready.store(true, std::memory_order_release);
    };
    if (ends_inside) {
      const std::int64_t open = map.start(piece.segment_end);
      pass_on(fold(a.data, open, piece.element_end));
    } else {
      const Slot mine = fold(a.data, piece.element_begin, piece.element_end);
      pass_on(begins_inside ? mine : combine(mine, wait(carries[p - 1])));
    }
    pieces(a.data, map, piece, begins_inside ? neutral : wait(carries[p - 1]), result.data, stream);
  });
}

}  // namespace cvl::cpu
