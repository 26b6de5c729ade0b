#include "operations/operations.h"

#include <atomic>
#include <thread>

#include "base/check.h"
#include "base/streaming.h"
#include "operations/context.h"
#include "tuning/piece_tuning.h"
#include "tuning/streaming_tuning.h"

namespace cvl::cpu {
namespace {

/// Passed from a chunk to the next one: the accumulation of the segment that continues there.
struct Carry {
  Slot value;
  std::atomic<bool> ready;
};

/// A scan divided into chunks, with the loops for its type.
struct Job {
  Job(const Context& context, Monoid monoid, Operand operand, const SegmentMap& segments, Result to)
      : kernels(context.kernels.scan),
        fence(context.kernels.tile.fence),
        m(monoid),
        a(operand),
        map(segments),
        result(to),
        by_blocks(rounds(m, a.type)),
        partition(map, kPieceItems, {by_blocks ? kFoldBlock : kScanGroup, by_blocks}) {}

  /// Whether the chunk's first segment has no elements before the chunk.
  bool begins_inside(const Piece& piece) const { return map.start(piece.segment_begin) >= piece.element_begin; }
  /// Whether the segment that continues after the chunk has no elements before the chunk.
  bool ends_inside(const Piece& piece) const { return piece.segment_end > piece.segment_begin; }
  /// Folds of the blocks that the chunk has of the segment that continues after the chunk.
  struct Blocks {
    std::int64_t count;
    Slot folds[kMostBlocks];
  };
  void fold_open(const Piece& piece, Blocks& blocks) const {
    const std::int64_t from = ends_inside(piece) ? map.start(piece.segment_end) : piece.element_begin;
    blocks.count = kernels.fold_blocks.at(m, a.type)(a.data, from, piece.element_end, blocks.folds);
  }
  Slot combine(const Blocks& blocks, Slot before) const {
    for (std::int64_t k = 0; k < blocks.count; ++k) before = combine(blocks.folds[k], before);
    return before;
  }
  Slot combine(Slot after, Slot before) const { return kernels.combine.at(m, a.type)(after, before); }
  Slot neutral() const { return kernels.neutral.at(m, a.type); }
  /// Returns the carry of the chunk if the monoid rounds.
  Slot scan(const Piece& piece, Slot before) const {
    const Slot after = kernels.pieces.at(m, a.type)(a.data, map, piece, before, result.data, stream, kAheadBytes);
    if (stream) fence();
    return after;
  }
  Slot scan_and_fold(const Piece& piece, Slot before) const {
    const Slot folded =
        kernels.pieces_with_fold.at(m, a.type)(a.data, map, piece, before, result.data, stream, kAheadBytes);
    if (stream) fence();
    return folded;
  }

  const ScanKernels& kernels;
  void (*fence)();
  Monoid m;
  Operand a;
  const SegmentMap& map;
  Result result;
  bool by_blocks;  ///< the monoid rounds
  Partition partition;
  bool stream = a.data != result.data && stream_result(result);
};

/// Scans chunk by chunk in one thread. If a chunk lies within one segment, or the monoid rounds, the fold is computed
/// during the scan.
void scan_in_turn(const Job& job) {
  Slot before = job.neutral();
  for (std::int64_t p = 0; p < job.partition.pieces(); ++p) {
    const Piece piece = job.partition.piece(p);
    if (job.begins_inside(piece)) before = job.neutral();
    if (job.by_blocks) {
      before = job.scan(piece, before);
    } else if (job.ends_inside(piece) || piece.element_begin % kScanGroup != 0) {
      // Fold before scanning, as the scan may overwrite the elements.
      Job::Blocks mine;
      job.fold_open(piece, mine);
      job.scan(piece, before);
      before = job.combine(mine, job.ends_inside(piece) ? job.neutral() : before);
    } else {
      before = job.combine(job.scan_and_fold(piece, before), before);
    }
  }
}

/// The carry of chunk p. Chunks are taken in order, and a thread publishes the carry before it scans, so the wait is
/// short unless the system has preempted that thread. In that case the carry is computed again here, except in place,
/// where the other thread may be overwriting the chunk.
Slot passed_on(const Job& job, const Carry* carries, std::int64_t p) {
  const bool in_place = job.a.data == job.result.data;
  for (int spins = 0; !carries[p].ready.load(std::memory_order_acquire); ++spins) {
    if (spins < kPatience) continue;
    if (in_place) {
      std::this_thread::yield();
      continue;
    }
    const Piece piece = job.partition.piece(p);
    const bool alone = job.ends_inside(piece) || job.begins_inside(piece);
    const Slot before = alone ? job.neutral() : passed_on(job, carries, p - 1);
    Job::Blocks mine;
    job.fold_open(piece, mine);
    return job.combine(mine, before);
  }
  return carries[p].value;
}

/// Scans in several threads with one traversal of memory. A thread takes the next chunk, folds the part that later
/// chunks depend on, which loads the part into the cache, publishes the carry, and scans the chunk.
void scan_in_parallel(Context& context, const Job& job, Carry* carries) {
  context.parallel.for_each_in_order(job.partition.pieces(), [&](std::int64_t p) {
    const Piece piece = job.partition.piece(p);
    Job::Blocks mine;
    job.fold_open(piece, mine);
    auto pass_on = [&](Slot value) {
      carries[p].value = value;
      carries[p].ready.store(true, std::memory_order_release);
    };
    if (job.ends_inside(piece)) pass_on(job.combine(mine, job.neutral()));
    const Slot before = job.begins_inside(piece) ? job.neutral() : passed_on(job, carries, p - 1);
    if (!job.ends_inside(piece)) pass_on(job.combine(mine, before));
    job.scan(piece, before);
  });
}

}  // namespace

void scan(Context& context, Monoid monoid, Operand a, const SegmentMap& map, Result result) {
  VC_CHECK(context.kernels.scan.pieces.at(monoid, a.type) != nullptr && result.length == map.elements);
  const Job job(context, monoid, a, map, result);
  const std::int64_t pieces = job.partition.pieces();
  if (pieces == 1) {
    job.scan(job.partition.piece(0), job.neutral());
  } else if (context.parallel.threads() == 1) {
    scan_in_turn(job);
  } else if (pieces > 1) {
    auto carries = context.arena.scratch<Carry>(pieces);
    if (!carries) return context.out_of_memory(static_cast<std::size_t>(pieces) * sizeof(Carry));
    for (std::int64_t p = 0; p < pieces; ++p) new (&carries[p]) Carry{0, false};
    scan_in_parallel(context, job, carries.get());
  }
}

}  // namespace cvl::cpu
