#pragma once

#include <cstddef>

#include "base/by_monoid.h"
#include "base/pieces.h"
#include "base/slot.h"
#include "cvl/backend.h"

namespace cvl::cpu {

struct ReduceKernels {
  /// The partial results of a piece for the segments that begin before it or end behind it.
  struct Edges {
    Piece piece;
    Slot head;  ///< of the elements in the first segment that ends in the piece
    Slot tail;  ///< of the elements in the segment that ends later
  };
  /// Writes result[k] for the segments that end in the piece, as if they began there; with `stream`, by non-temporal
  /// stores. `ahead` is the distance in bytes at which to prefetch.
  using Pieces = void(const void* a, const SegmentMap& map, const Piece& piece, void* result, Edges& edges, bool stream,
                      std::ptrdiff_t ahead);
  /// Combines the first result of each piece with what earlier pieces have of its segment.
  using Join = void(const SegmentMap& map, const Edges* edges, std::int64_t pieces, void* result);

  ByMonoid<Pieces*> pieces;
  ByMonoid<Join*> join;
};

}  // namespace cvl::cpu
