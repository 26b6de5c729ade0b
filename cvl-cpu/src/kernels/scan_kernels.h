#pragma once

#include "base/by_monoid.h"
#include "base/chunks.h"
#include "base/slot.h"
#include "cvl/backend.h"

namespace cvl::cpu {

/// Elements of a group, which scans compute together; groups begin at multiples of this number.
inline constexpr std::int64_t kScanGroup = 64;

struct ScanKernels {
  /// Scans the elements of a chunk. `before` is the accumulation, over earlier chunks, of the segment in which the
  /// chunk begins. The result may overwrite the operand; if it is streamed, a fence must follow. `ahead` is the
  /// prefetch distance in bytes, or 0. A function in `chunks` returns the next `before`, so a chunk may be scanned in
  /// parts; where the monoid rounds, parts must begin and end at blocks of their segments (see fold_order.h). A
  /// function in `chunks_with_fold`, null for monoids that round, returns what Fold returns for the chunk.
  using Chunks = Slot(const void* a, const SegmentDescriptor& descriptor, const Chunk& chunk, Slot before, void* result,
                      bool stream, std::ptrdiff_t ahead);
  /// Accumulation of elements [begin, end), which lie in one block if the monoid rounds.
  using Fold = Slot(const void* a, std::int64_t begin, std::int64_t end);
  /// Accumulations of the blocks of elements [begin, end), which begin with a block and have at most kMostBlocks; if
  /// the monoid does not round, one accumulation of all elements. Returns the number of accumulations.
  using FoldBlocks = std::int64_t(const void* a, std::int64_t begin, std::int64_t end, Slot* blocks);
  /// Combines the accumulations of later and of earlier elements of a segment.
  using Combine = Slot(Slot after, Slot before);

  ByMonoid<Chunks*> chunks;
  ByMonoid<Chunks*> chunks_with_fold;
  ByMonoid<Fold*> fold;
  ByMonoid<FoldBlocks*> fold_blocks;
  ByMonoid<Combine*> combine;
  ByMonoid<Slot> identity;     ///< the identity element
  ByMonoid<Slot> empty_value;  ///< the result for no elements
};

}  // namespace cvl::cpu
