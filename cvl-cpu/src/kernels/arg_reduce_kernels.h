#pragma once

#include "base/by_monoid.h"
#include "base/chunks.h"
#include "base/slot.h"
#include "cvl/extreme.h"

namespace cvl::cpu {

/// A cvl::Extreme (best element and its index) of elements of any type.
struct AnyExtreme {
  Slot value = 0;
  std::int64_t position = -1;
};

/// Loops of arg-reductions, for the monoids that select (MAX and MIN); null for all others.
struct ArgReduceKernels {
  /// Partial results of a chunk for the segments that begin before it or end after it.
  struct Edges {
    AnyExtreme head;  ///< of the elements in the first segment that ends in the chunk
    AnyExtreme tail;  ///< of the elements in the segment that continues after the chunk
  };
  /// Writes result[k], an INT, for the segments that end in the chunk. A segment that begins before the chunk is
  /// treated as if it began with the chunk; edges.head is for correcting it. On entry edges.tail may hold the extreme
  /// of earlier elements of the segment that is open where the chunk begins: elements that are no better are then not
  /// searched for.
  using Chunks = void(const void* a, const SegmentDescriptor& descriptor, const Chunk& chunk, void* result,
                      Edges& edges);
  /// Extreme of two adjacent ranges of elements, `before` and, after it, `behind`.
  using Follow = AnyExtreme(const AnyExtreme& behind, const AnyExtreme& before);

  ByMonoid<Chunks*> chunks[2];  ///< by width of the result: i32, i64
  ByMonoid<Follow*> follow;
  ByMonoid<AnyExtreme> none;  ///< extreme of no elements
};

}  // namespace cvl::cpu
