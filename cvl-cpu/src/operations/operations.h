#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "cvl/backend.h"

namespace cvl::cpu {

struct Context;

// The operations of cvl::Backend. Each distributes its work over the threads and calls the loops of the instruction
// set. Faults are reported to the context.

#define CVL_DECLARE(Name) void run(Context& context, const Name& description);
CVL_BASIC_OPS(CVL_DECLARE)
#undef CVL_DECLARE
std::unique_ptr<PackPlan> plan_pack(Context& context, Operand flags, const SegmentDescriptor& descriptor,
                                    Result lengths);
LengthsSummary summarize_lengths(Context& context, const MakeOffsets& op);

/// lengths[segment] += more, for INT lengths of either width.
void add_to(Result lengths, std::int64_t segment, std::int64_t more);
void set_length(Result lengths, std::int64_t segment, std::int64_t length);

}  // namespace cvl::cpu
