#include "operations/device_operations.h"
#include "operations/scans/scan_with_monoid.h"
#include "vcode/op_semantics.h"

namespace cvl::cuda {

void scan(const Context& context, Monoid monoid, Operand a, const SegmentDescriptor& descriptor, Result result) {
  switch (monoid) {
#define VC_MONOID(Name, ...) \
  case Monoid::k##Name:      \
    return scan_with_monoid<vcode::monoids::Name>(context, a, descriptor, result);
#include "vcode/ops.def"
  }
}

}  // namespace cvl::cuda
