#include "gather.h"

#include "context.h"

namespace cvl::cpu {

void gather(Context&, const Gather&, Result) {}
void extract(Context&, Operand, Operand, const SegmentMap&, Result) {}
void replace(Context&, Operand, Operand, Operand, const SegmentMap&, Result) {}

}  // namespace cvl::cpu
