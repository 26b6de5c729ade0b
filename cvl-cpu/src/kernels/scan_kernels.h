#pragma once

#include "base/by_monoid.h"
#include "base/pieces.h"
#include "base/slot.h"
#include "cvl/backend.h"

namespace cvl::cpu {

/// Elements that scans compute together; groups begin at multiples of it.
inline constexpr std::int64_t kScanGroup = 64;

struct ScanKernels {
  /// Scans the elements of a piece; `before` is the accumulation, over earlier pieces, of the segment in which the
  /// piece begins. The result may be the operand; if it is streamed, a fence must follow. `ahead` is the distance in
  /// bytes at which to prefetch, or 0. Those of `pieces` return `before` for the elements behind the piece, so that a
  /// piece may be scanned in parts; where the monoid rounds, parts must begin and end at blocks of their segments (see
  /// fold_order.h). Those of `pieces_with_fold`, which are there for the others only, return what Fold returns for the
  /// piece.
  using Pieces = Slot(const void* a, const SegmentMap& map, const Piece& piece, Slot before, void* result, bool stream,
                      std::ptrdiff_t ahead);
  /// The accumulation of elements [begin, end), which are of one block where the monoid rounds.
  using Fold = Slot(const void* a, std::int64_t begin, std::int64_t end);
  /// The same of the blocks of elements [begin, end), at most kMostBlocks, which begin with a block; of all of them
  /// together where the monoid does not round. Returns their number.
  using FoldBlocks = std::int64_t(const void* a, std::int64_t begin, std::int64_t end, Slot* blocks);
  /// Combines the accumulations of later and of earlier elements.
  using Combine = Slot(Slot after, Slot before);

  ByMonoid<Pieces*> pieces;
  ByMonoid<Pieces*> pieces_with_fold;
  ByMonoid<Fold*> fold;
  ByMonoid<FoldBlocks*> fold_blocks;
  ByMonoid<Combine*> combine;
  ByMonoid<Slot> neutral;   ///< changes nothing that it is combined with
  ByMonoid<Slot> identity;  ///< the result for no elements
};

}  // namespace cvl::cpu
