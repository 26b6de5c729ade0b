#include "operations/device_operations.h"
#include "operations/scans/scan_with_monoid.h"
#include "vcode/op_semantics.h"

namespace cvl::cuda {

void run(const Context& context, const Scan& scan) {
  switch (scan.monoid) {
#define VC_MONOID(Name, ...) \
  case Monoid::k##Name:      \
    return scan_with_monoid<vcode::monoids::Name>(context, scan.a, scan.descriptor, scan.result);
#include "vcode/ops.def"
  }
}

}  // namespace cvl::cuda
