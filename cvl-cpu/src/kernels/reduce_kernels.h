#pragma once

#include <cstddef>

#include "base/by_monoid.h"
#include "base/pieces.h"
#include "base/slot.h"
#include "cvl/backend.h"

namespace cvl::cpu {

struct ReduceKernels {
  /// What a piece knows about the segments that reach beyond it.
  struct Edges {
    Piece piece;
    Slot head;  ///< what the piece has of its first segment to end
    Slot tail;  ///< what the piece has of the segment that ends later
  };
  /// Writes result[k] for the segments that end in the piece, as if they began there; past the cache with `stream`.
  /// What lies `ahead` bytes from an element will be needed soon.
  using Pieces = void(const void* a, const SegmentMap& map, const Piece& piece, void* result, Edges& edges, bool stream,
                      std::ptrdiff_t ahead);
  /// Adds to the first result of each piece what earlier pieces have of its segment.
  using Join = void(const SegmentMap& map, const Edges* edges, std::int64_t pieces, void* result);

  ByMonoid<Pieces*> pieces;
  ByMonoid<Join*> join;
};

}  // namespace cvl::cpu
