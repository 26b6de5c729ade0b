#include "operations/operations.h"

#include <atomic>
#include <thread>

#include "base/check.h"
#include "base/streaming.h"
#include "operations/context.h"
#include "tuning/chunk_tuning.h"
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
  Job(const Context& context, Monoid monoid, Operand operand, const SegmentDescriptor& segments, Result to)
      : kernels(context.kernels.scan),
        fence(context.kernels.tile.fence),
        m(monoid),
        a(operand),
        descriptor(segments),
        result(to),
        by_blocks(rounds(m, a.type)),
        partition(descriptor, kChunkItems, {by_blocks ? kFoldBlock : kScanGroup, by_blocks}) {}

  /// Whether the chunk's first segment has no elements before the chunk.
  bool begins_inside(const Chunk& chunk) const { return descriptor.start(chunk.segment_begin) >= chunk.element_begin; }
  /// Whether the segment that continues after the chunk has no elements before the chunk.
  bool ends_inside(const Chunk& chunk) const { return chunk.segment_end > chunk.segment_begin; }
  /// Folds of the blocks that the chunk has of the segment that continues after the chunk.
  struct Blocks {
    std::int64_t count;
    Slot folds[kMostBlocks];
  };
  void fold_open(const Chunk& chunk, Blocks& blocks) const {
    const std::int64_t from = ends_inside(chunk) ? descriptor.start(chunk.segment_end) : chunk.element_begin;
    blocks.count = kernels.fold_blocks.at(m, a.type)(a.data, from, chunk.element_end, blocks.folds);
  }
  Slot combine(const Blocks& blocks, Slot before) const {
    for (std::int64_t k = 0; k < blocks.count; ++k) before = combine(blocks.folds[k], before);
    return before;
  }
  Slot combine(Slot after, Slot before) const { return kernels.combine.at(m, a.type)(after, before); }
  Slot identity() const { return kernels.identity.at(m, a.type); }
  /// Returns the carry of the chunk if the monoid rounds.
  Slot scan(const Chunk& chunk, Slot before) const {
    const Slot after =
        kernels.chunks.at(m, a.type)(a.data, descriptor, chunk, before, result.data, stream, kAheadBytes);
    if (stream) fence();
    return after;
  }
  Slot scan_and_fold(const Chunk& chunk, Slot before) const {
    const Slot folded =
        kernels.chunks_with_fold.at(m, a.type)(a.data, descriptor, chunk, before, result.data, stream, kAheadBytes);
    if (stream) fence();
    return folded;
  }

  const ScanKernels& kernels;
  void (*fence)();
  Monoid m;
  Operand a;
  const SegmentDescriptor& descriptor;
  Result result;
  bool by_blocks;  ///< the monoid rounds
  Partition partition;
  bool stream = a.data != result.data && stream_result(result);
};

/// Scans chunk by chunk in one thread. If a chunk lies within one segment, or the monoid rounds, the fold is computed
/// during the scan.
void scan_in_turn(const Job& job) {
  Slot before = job.identity();
  for (std::int64_t p = 0; p < job.partition.chunks(); ++p) {
    const Chunk chunk = job.partition.chunk(p);
    if (job.begins_inside(chunk)) before = job.identity();
    if (job.by_blocks) {
      before = job.scan(chunk, before);
    } else if (job.ends_inside(chunk) || chunk.element_begin % kScanGroup != 0) {
      // Fold before scanning, as the scan may overwrite the elements.
      Job::Blocks mine;
      job.fold_open(chunk, mine);
      job.scan(chunk, before);
      before = job.combine(mine, job.ends_inside(chunk) ? job.identity() : before);
    } else {
      before = job.combine(job.scan_and_fold(chunk, before), before);
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
    const Chunk chunk = job.partition.chunk(p);
    const bool alone = job.ends_inside(chunk) || job.begins_inside(chunk);
    const Slot before = alone ? job.identity() : passed_on(job, carries, p - 1);
    Job::Blocks mine;
    job.fold_open(chunk, mine);
    return job.combine(mine, before);
  }
  return carries[p].value;
}

/// Scans in several threads with one traversal of memory. A thread takes the next chunk, folds the part that later
/// chunks depend on, which loads the part into the cache, publishes the carry, and scans the chunk.
void scan_in_parallel(Context& context, const Job& job, Carry* carries) {
  context.parallel.for_each_in_order(job.partition.chunks(), [&](std::int64_t p) {
    const Chunk chunk = job.partition.chunk(p);
    Job::Blocks mine;
    job.fold_open(chunk, mine);
    auto pass_on = [&](Slot value) {
      carries[p].value = value;
      carries[p].ready.store(true, std::memory_order_release);
    };
    if (job.ends_inside(chunk)) pass_on(job.combine(mine, job.identity()));
    const Slot before = job.begins_inside(chunk) ? job.identity() : passed_on(job, carries, p - 1);
    if (!job.ends_inside(chunk)) pass_on(job.combine(mine, before));
    job.scan(chunk, before);
  });
}

}  // namespace

void run(Context& context, const Scan& scan) {
  VC_CHECK(context.kernels.scan.chunks.at(scan.monoid, scan.a.type) != nullptr &&
           scan.result.length == scan.descriptor.elements);
  const Job job(context, scan.monoid, scan.a, scan.descriptor, scan.result);
  const std::int64_t chunks = job.partition.chunks();
  if (chunks == 1) {
    job.scan(job.partition.chunk(0), job.identity());
  } else if (context.parallel.threads() == 1) {
    scan_in_turn(job);
  } else if (chunks > 1) {
    auto carries = context.arena.scratch<Carry>(chunks);
    if (!carries) return context.out_of_memory(static_cast<std::size_t>(chunks) * sizeof(Carry));
    for (std::int64_t p = 0; p < chunks; ++p) new (&carries[p]) Carry{0, false};
    scan_in_parallel(context, job, carries.get());
  }
}

}  // namespace cvl::cpu
