#include "operations/scans/scan_instances.h"
#include "vcode/op_semantics.h"

namespace cvl::cuda {

template void scan_with_monoid<vcode::monoids::Max>(const Context&, Operand, const SegmentDescriptor&, Result);
template void scan_with_monoid<vcode::monoids::Min>(const Context&, Operand, const SegmentDescriptor&, Result);

}  // namespace cvl::cuda
