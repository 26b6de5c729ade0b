#pragma once

#include <memory>
#include <span>

#include "base/device_faults.h"
#include "cvl/backend.h"
#include "executor/executor.h"

namespace cvl::cuda {

/// The executor that an operation runs on, and through which it reports faults.
struct Context {
  Executor& executor;
  Faults faults;

  Pool& pool() const { return executor.pool(); }
};

// The operations of cvl::Backend. Operands and results are on the device. Operand::on_host is allowed for operands with
// an element for each segment: starts, strides, indices and values of dist, index, slice, extract, replace and count.
// All throw OutOfMemory.

void elementwise(const Context& context, Op op, std::span<const Operand> operands, Result result);
void random(const Context& context, Operand bounds, RandomKey key, Result result);
void scan(const Context& context, Monoid monoid, Operand a, const SegmentDescriptor& descriptor, Result result);
void reduce(const Context& context, Monoid monoid, Operand a, const SegmentDescriptor& descriptor, Result result);
void arg_reduce(const Context& context, Monoid monoid, Operand a, const SegmentDescriptor& descriptor, Result result);
void scatter(const Context& context, const Scatter& scatter, Result result);
void gather(const Context& context, const Gather& gather, Result result);
void extract(const Context& context, Operand a, Operand i, const SegmentDescriptor& descriptor, Result result);
void replace(const Context& context, Operand a, Operand i, Operand v, const SegmentDescriptor& descriptor,
             Result result);
void dist(const Context& context, Operand v, const SegmentDescriptor& descriptor, Result result);
void index(const Context& context, Operand start, Operand stride, const SegmentDescriptor& descriptor, Result result);
void slice(const Context& context, Operand a, Operand start, const SegmentDescriptor& descriptor, Result result);
void append(const Context& context, const Join& join, Result result);
void merge(const Context& context, Operand flags, const Join& join, Result result);
void rank(const Context& context, bool descending, Operand a, const SegmentDescriptor& descriptor, Result result);
void count(const Context& context, Operand a, Operand start, const SegmentDescriptor& from, const SegmentDescriptor& to,
           Result result);
std::unique_ptr<PackPlan> plan_pack(const Context& context, Operand flags, const SegmentDescriptor& descriptor,
                                    Result lengths);
void pack(const Context& context, const PackPlan& plan, Operand a, Operand flags, Result result);
LengthsSummary summarize_lengths(const Context& context, Operand lengths);
void make_offsets(const Context& context, Operand lengths, Result result);
void make_segment_heads(const Context& context, const SegmentDescriptor& descriptor, Result heads, Result nonempty);

}  // namespace cvl::cuda
