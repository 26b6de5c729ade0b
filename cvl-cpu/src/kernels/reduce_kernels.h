#pragma once

#include <cstddef>

#include "base/by_monoid.h"
#include "base/pieces.h"
#include "base/slot.h"
#include "cvl/backend.h"
#include "cvl/fold_order.h"
#include "tuning/piece_tuning.h"

namespace cvl::cpu {

/// Most blocks of a segment in a piece, whose cuts are multiples of a block from where the segment begins.
inline constexpr std::int64_t kMostBlocks = kPieceItems / kFoldBlock + 2;

struct ReduceKernels {
  /// The partial results of a piece for the segments that begin before it or end behind it.
  struct Edges {
    Piece piece;
    Slot* blocks = nullptr;  ///< of the segment that begins before the piece: the folds of its blocks there; of a
                             ///< monoid that does not round, of all its elements there
    std::int64_t count = 0;  ///< of these
    Slot tail = 0;           ///< of the elements of the segment that begins in the piece and ends behind it
  };
  /// Writes result[k] for the segments that begin and end in the piece; with `stream`, by non-temporal stores. `ahead`
  /// is the distance in bytes at which to prefetch.
  using Pieces = void(const void* a, const SegmentMap& map, const Piece& piece, void* result, Edges& edges, bool stream,
                      std::ptrdiff_t ahead);
  /// Writes the results of the segments that begin before the piece in which they end.
  using Join = void(const SegmentMap& map, const Edges* edges, std::int64_t pieces, void* result);

  ByMonoid<Pieces*> pieces;
  ByMonoid<Join*> join;
};

/// Whether the segment in which a piece begins has elements before it.
inline bool continues(const SegmentMap& map, const Piece& piece) {
  return piece.segment_begin < map.segments && map.start(piece.segment_begin) < piece.element_begin;
}

}  // namespace cvl::cpu
