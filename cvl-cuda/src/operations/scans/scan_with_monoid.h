#pragma once

#include "cvl/backend.h"
#include "operations/device_operations.h"

namespace cvl::cuda {

/// scan() for one monoid. The template is defined in scan_instances.h and instantiated in scan_arithmetic.cpp,
/// scan_bitwise.cpp and scan_extremes.cpp, which are compiled in parallel: the compiler for devices takes long over
/// each.
template <class M>
void scan_with_monoid(const Context& context, Operand a, const SegmentMap& map, Result result);

}  // namespace cvl::cuda
