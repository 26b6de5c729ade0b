#pragma once

#include "cvl/backend.h"
#include "operations/device_operations.h"

namespace cvl::cuda {

/// scan() for one monoid. The template is defined in scan_instances.h and instantiated in scan_arithmetic.cpp,
/// scan_bitwise.cpp and scan_extremes.cpp. These files are compiled in parallel: each takes the device compiler long.
template <class M>
void scan_with_monoid(const Context& context, Operand a, const SegmentDescriptor& descriptor, Result result);

}  // namespace cvl::cuda
