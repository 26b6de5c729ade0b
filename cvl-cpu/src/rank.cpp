#include "rank.h"

#include "context.h"

namespace cvl::cpu {

void rank(Context&, bool, Operand, const SegmentMap&, Result) {}

}  // namespace cvl::cpu
