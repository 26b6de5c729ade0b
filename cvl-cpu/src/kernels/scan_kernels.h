#pragma once

#include "base/by_monoid.h"
#include "base/pieces.h"
#include "base/slot.h"
#include "cvl/backend.h"

namespace cvl::cpu {

/// Elements that scans handle together, at multiples of as many.
inline constexpr std::int64_t kScanGroup = 64;

struct ScanKernels {
  /// Scans the elements of a piece; `before` is the accumulation, over earlier pieces, of the segment the
  /// piece begins in. The result may be the operand; if it is streamed, a fence must follow. Returns what Fold does, if
  /// asked, else `before` for the elements behind the piece, if it ends at a multiple of kScanGroup: a piece may be
  /// scanned in parts so. `ahead` is the distance in bytes from an element to one that will be read soon, or 0.
  using Pieces = Slot(const void* a, const SegmentMap& map, const Piece& piece, Slot before, void* result, bool stream,
                      std::ptrdiff_t ahead);
  /// The accumulation of elements [begin, end).
  using Fold = Slot(const void* a, std::int64_t begin, std::int64_t end);
  /// The accumulation of what came after and what came before.
  using Combine = Slot(Slot after, Slot before);

  ByMonoid<Pieces*> pieces;
  ByMonoid<Pieces*> pieces_with_fold;
  ByMonoid<Fold*> fold;
  ByMonoid<Combine*> combine;
  ByMonoid<Slot> neutral;
};

}  // namespace cvl::cpu
