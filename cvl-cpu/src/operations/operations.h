#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "cvl/backend.h"

namespace cvl::cpu {

struct Context;

// The operations of cvl::Backend. Each distributes its work over the threads and calls the loops of the instruction
// set. Faults are reported to the context.

void elementwise(Context& context, Op op, std::span<const Operand> operands, Result result);
void random(Context& context, Operand bounds, RandomKey key, Result result);
void scan(Context& context, Monoid monoid, Operand a, const SegmentDescriptor& descriptor, Result result);
void reduce(Context& context, Monoid monoid, Operand a, const SegmentDescriptor& descriptor, Result result);
void arg_reduce(Context& context, Monoid monoid, Operand a, const SegmentDescriptor& descriptor, Result result);
void scatter(Context& context, const Scatter& scatter, Result result);
void gather(Context& context, const Gather& gather, Result result);
void extract(Context& context, Operand a, Operand i, const SegmentDescriptor& descriptor, Result result);
void replace(Context& context, Operand a, Operand i, Operand v, const SegmentDescriptor& descriptor, Result result);
void dist(Context& context, Operand v, const SegmentDescriptor& descriptor, Result result);
void index(Context& context, Operand start, Operand stride, const SegmentDescriptor& descriptor, Result result);
void slice(Context& context, Operand a, Operand start, const SegmentDescriptor& descriptor, Result result);
void append(Context& context, const Join& join, Result result);
void merge(Context& context, Operand flags, const Join& join, Result result);
void rank(Context& context, bool descending, Operand a, const SegmentDescriptor& descriptor, Result result);
void count(Context& context, Operand a, Operand start, const SegmentDescriptor& from, const SegmentDescriptor& to,
           Result result);
std::unique_ptr<PackPlan> plan_pack(Context& context, Operand flags, const SegmentDescriptor& descriptor,
                                    Result lengths);
void pack(Context& context, const PackPlan& plan, Operand a, Operand flags, Result result);
LengthsSummary summarize_lengths(Context& context, Operand lengths);
void make_offsets(Context& context, Operand lengths, Result result);

/// lengths[segment] += more, for INT lengths of either width.
void add_to(Result lengths, std::int64_t segment, std::int64_t more);
void set_length(Result lengths, std::int64_t segment, std::int64_t length);

}  // namespace cvl::cpu
