#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "cvl/backend.h"

namespace cvl::cpu {

struct Context;

// The operations of cvl::Backend. Each distributes its work over the threads and calls the loops of the instruction
// set. Faults are reported to the context.

void run(Context& context, const Elementwise& elementwise);
void run(Context& context, const Random& random);
void run(Context& context, const Scan& scan);
void run(Context& context, const Reduce& reduce);
void run(Context& context, const ArgReduce& arg_reduce);
void run(Context& context, const Scatter& scatter);
void run(Context& context, const Gather& gather);
void run(Context& context, const Extract& extract);
void run(Context& context, const Replace& replace);
void run(Context& context, const Dist& dist);
void run(Context& context, const Index& index);
void run(Context& context, const Slice& slice);
void run(Context& context, const Append& append);
void run(Context& context, const Merge& merge);
void run(Context& context, const Rank& rank);
void run(Context& context, const Count& count);
std::unique_ptr<PackPlan> plan_pack(Context& context, Operand flags, const SegmentDescriptor& descriptor,
                                    Result lengths);
void run(Context& context, const Pack& pack);
LengthsSummary summarize_lengths(Context& context, Operand lengths);
void run(Context& context, const MakeOffsets& make_offsets);

/// lengths[segment] += more, for INT lengths of either width.
void add_to(Result lengths, std::int64_t segment, std::int64_t more);
void set_length(Result lengths, std::int64_t segment, std::int64_t length);

}  // namespace cvl::cpu
