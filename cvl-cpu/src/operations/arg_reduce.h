#pragma once

#include "operations/context.h"

namespace cvl::cpu {

/// Writes what the arg-reduction of all of segment k comes to, an INT of either width.
void write_index(const AnyExtreme& extreme, const SegmentMap& map, std::int64_t k, const Result& result);

/// The loops for elements of a type and results of another.
ArgReduceKernels::Pieces* arg_reduce_kernel(const Kernels& kernels, Monoid monoid, ElemType type, ElemType result);

}  // namespace cvl::cpu
