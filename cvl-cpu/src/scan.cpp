#include "scan.h"

#include "context.h"

namespace cvl::cpu {

void scan(Context&, Monoid, Operand, const SegmentMap&, Result) {}

}  // namespace cvl::cpu
