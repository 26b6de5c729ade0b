#pragma once

#include <span>

#include "operations/context.h"

namespace cvl::cpu {

/// Partial results of an arg-reduction in a chunk.
struct ChunkExtremes {
  Chunk chunk;
  ArgReduceKernels::Edges edges;
};

/// Writes the result for segment k, an INT of either width, from the extreme of all its elements.
void write_index(const AnyExtreme& extreme, const SegmentDescriptor& descriptor, std::int64_t k, const Result& result);

/// Writes the results of the segments that begin before the chunk in which they end. The chunks are all, in order.
void join_extremes(const Kernels& kernels, Monoid monoid, ElemType type, const SegmentDescriptor& descriptor,
                   std::span<const ChunkExtremes> chunks, const Result& result);

/// The loops for elements of one type and results of another.
ArgReduceKernels::Chunks* arg_reduce_kernel(const Kernels& kernels, Monoid monoid, ElemType type, ElemType result);

}  // namespace cvl::cpu
