#pragma once

#include "cvl/backend.h"
#include "operations/device_operations.h"

namespace cvl::cuda {

/// scan() for one monoid, in parts, since a compiler for devices takes long over each: scan_arithmetic.cpp and so on
/// instantiate the template of scan_instances.h.
template <class M>
void scan_with_monoid(const Context& context, Operand a, const SegmentMap& map, Result result);

}  // namespace cvl::cuda
