#pragma once

#include "random_data.h"
#include "random_kernel.h"
#include "segmentation.h"
#include "vcode/types.h"

// Kernels with a given shape and random data and outputs.

namespace cvl::conformance {

/// Elementwise operations, reductions and scans, each of which reads the result of an earlier one or an input, so that
/// native code may fold computed values; some of their results are outputs. Some operands are made from an element for
/// each segment, and a few slices have no elements at their end.
KernelCase folding_case(vcode::Suffix suffix, vcode::ElemType type, vcode::Widths widths, std::int64_t n,
                        const Segmentation& cut, Rng& rng);

/// Arg-reductions of values computed from an element for each segment, progressions and slices. These are the same for
/// all segments or not, so that native code may compute segments side by side. Some values occur twice in a segment;
/// some are NaN or infinite; some kernels divide by zero or have a slice that is not in its table.
KernelCase extremes_case(vcode::Suffix suffix, vcode::ElemType type, vcode::Widths widths, const Segmentation& cut,
                         Rng& rng);

/// Permutations of segments, of computed values and of inputs, to targets that the kernel computes or reads; some of
/// the permuted values are also folded, scanned or outputs. Some kernels have a target that is out of range or written
/// twice.
KernelCase permuting_case(vcode::Kind kind, vcode::Widths widths, const Segmentation& cut, Rng& rng);

/// Quotients and remainders of n INTs by each segment's divisor, which is the k-th special value, and of these results;
/// quotients of FLOATs. A zero divisor, and sometimes -1, is at fault.
KernelCase dividing_case(vcode::Widths widths, std::int64_t n, const Segmentation& cut, std::int64_t k, Rng& rng);

/// Gathers from tables of one segment at indices that the kernel computes, which native code does in registers: some
/// have flags, some read the results of other gathers, and some kernels have an index that is out of range.
KernelCase gathering_case(vcode::Kind kind, vcode::Widths widths, std::int64_t n, std::int64_t table_length, Rng& rng);

/// Gathers at [first:…:stride], at a distance from it, in the opposite direction, at one index and at indices chosen
/// from two, which mostly follow each other or are the same. Some indices are out of range at both ends, where flags
/// are mostly false.
KernelCase neighbours_case(vcode::Kind kind, vcode::Widths widths, const Segmentation& cut, Rng& rng);

/// Gathers from tables of several segments, slices, progressions and spread values under descriptors whose segments
/// consist of those of `fine`, or nearly do; a fold and values that are spread over `fine`. Some gathers are at fault.
KernelCase coarse_case(vcode::Kind kind, vcode::Widths widths, const Segmentation& fine, Rng& rng);

/// Slices that begin anywhere in a table, and are read by maps, a fold, a scan and steps behind it. If `at_fault`, one
/// of them begins before the table or ends behind it.
KernelCase slicing_case(vcode::Kind kind, vcode::Widths widths, const Segmentation& cut, bool at_fault, Rng& rng);

}  // namespace cvl::conformance
