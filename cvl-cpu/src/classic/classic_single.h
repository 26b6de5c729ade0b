#pragma once

#include "classic/classic_library.h"

/// Operations on a single element in a single segment: most calls of the classic interpreter. The loops for long
/// vectors take some hundred nanoseconds to start; these functions apply a row of ops.def directly.

namespace cvl::cpu::classic {

inline bool is_single_element(const SegmentDescriptor& descriptor) {
  return descriptor.elements == 1 && descriptor.segments == 1;
}

void scan_single(Monoid monoid, const Result& d);
void reduce_single(Monoid monoid, const Operand& s, const Result& d);
/// result[0] = source[i[0]] if the flag is true, else 0.
void gather_single(const Gather& gather);
/// A scatter whose result has a single element, too.
void scatter_single(const Scatter& scatter);
void draw_single(const Operand& bound, RandomKey key, const Result& d);

}  // namespace cvl::cpu::classic
