#include "dist.h"

#include "context.h"

namespace cvl::cpu {

void dist(Context&, Operand, const SegmentMap&, Result) {}
void index(Context&, Operand, Operand, const SegmentMap&, Result) {}
void make_segment_ids(Context&, const SegmentMap&, Result) {}

}  // namespace cvl::cpu
