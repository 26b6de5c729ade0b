#pragma once

#include <cstddef>

#include "base/by_monoid.h"
#include "base/chunks.h"
#include "base/slot.h"
#include "cvl/backend.h"
#include "cvl/fold_order.h"
#include "tuning/chunk_tuning.h"

namespace cvl::cpu {

/// Most blocks (see fold_order.h) of a segment in a chunk. Chunks end at multiples of a block from the start of the
/// segment.
inline constexpr std::int64_t kMostBlocks = kChunkItems / kFoldBlock + 2;

struct ReduceKernels {
  /// Partial results of a chunk for the segments that begin before it or end after it.
  struct Edges {
    Chunk chunk;
    Slot* blocks = nullptr;  ///< for the segment that begins before the chunk: the folds of its blocks in the chunk;
                             ///< for a monoid that does not round, the fold of all its elements in the chunk
    std::int64_t count = 0;  ///< number of `blocks`
    Slot tail = 0;           ///< fold of the elements of the segment that begins in the chunk and ends after it
  };
  /// Writes result[k] for the segments that begin and end in the chunk; with `stream`, by non-temporal stores. `ahead`
  /// is the prefetch distance in bytes.
  using Chunks = void(const void* a, const SegmentDescriptor& descriptor, const Chunk& chunk, void* result,
                      Edges& edges, bool stream, std::ptrdiff_t ahead);
  /// Writes the results of the segments that begin before the chunk in which they end.
  using Join = void(const SegmentDescriptor& descriptor, const Edges* edges, std::int64_t chunks, void* result);

  ByMonoid<Chunks*> chunks;
  ByMonoid<Join*> join;
};

/// Whether the segment in which a chunk begins has elements before the chunk.
[[gnu::always_inline]] inline bool continues(const SegmentDescriptor& descriptor, const Chunk& chunk) {
  return chunk.segment_begin < descriptor.segments && descriptor.start(chunk.segment_begin) < chunk.element_begin;
}

}  // namespace cvl::cpu
