#pragma once

#include "operations/context.h"

namespace cvl::cpu {

/// Writes the result for segment k, an INT of either width, from the extreme of all its elements.
void write_index(const AnyExtreme& extreme, const SegmentDescriptor& descriptor, std::int64_t k, const Result& result);

/// The loops for elements of one type and results of another.
ArgReduceKernels::Chunks* arg_reduce_kernel(const Kernels& kernels, Monoid monoid, ElemType type, ElemType result);

}  // namespace cvl::cpu
