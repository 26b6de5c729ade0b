#pragma once

#include "base/by_monoid.h"
#include "base/pieces.h"
#include "base/slot.h"
#include "cvl/extreme.h"

namespace cvl::cpu {

/// An Extreme of elements of any type.
struct AnyExtreme {
  Slot value = 0;
  std::int64_t place = -1;
};

/// Of monoids that select; null for all others.
struct ArgReduceKernels {
  /// The partial results of a piece for the segments that begin before it or end behind it.
  struct Edges {
    AnyExtreme head;  ///< of the elements in the first segment that ends in the piece
    AnyExtreme tail;  ///< of the elements in the segment that ends later
  };
  /// Writes result[k], an INT, for the segments that end in the piece, as if those that begin before it began with it.
  /// On entry edges.tail may be that of earlier elements of the segment that is open where the piece begins: a place
  /// that is no better is not looked for.
  using Pieces = void(const void* a, const SegmentMap& map, const Piece& piece, void* result, Edges& edges);
  /// That of the elements of both; those of `behind` are behind all others.
  using Follow = AnyExtreme(const AnyExtreme& behind, const AnyExtreme& before);

  ByMonoid<Pieces*> pieces[2];  ///< by width of the result: i32, i64
  ByMonoid<Follow*> follow;
  ByMonoid<AnyExtreme> none;  ///< that of no elements
};

}  // namespace cvl::cpu
