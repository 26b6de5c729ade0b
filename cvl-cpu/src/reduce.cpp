#include "reduce.h"

#include "context.h"

namespace cvl::cpu {

void reduce(Context&, Monoid, Operand, const SegmentMap&, Result) {}

}  // namespace cvl::cpu
