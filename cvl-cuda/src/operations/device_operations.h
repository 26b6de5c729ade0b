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

/// Whether an operation takes its operand `o` where it is, also if that is on the host: the operands with an element
/// for each segment, which are arguments of its kernel.
template <class T>
bool takes_from_host(const T&, const Operand&) {
  return false;
}
inline bool takes_from_host(const Dist&, const Operand&) { return true; }
inline bool takes_from_host(const Index&, const Operand&) { return true; }
inline bool takes_from_host(const Slice& slice, const Operand& o) { return &o == &slice.start; }
inline bool takes_from_host(const Extract& extract, const Operand& o) { return &o == &extract.i; }
inline bool takes_from_host(const Replace& replace, const Operand& o) { return &o != &replace.a; }
inline bool takes_from_host(const Count& count, const Operand& o) { return &o == &count.start; }

// The operations of cvl::Backend. Operands and results are on the device, except operands that are taken from the host.
// All throw OutOfMemory.

void run(const Context& context, const Elementwise& elementwise);
void run(const Context& context, const Random& random);
void run(const Context& context, const Scan& scan);
void run(const Context& context, const Reduce& reduce);
void run(const Context& context, const ArgReduce& arg_reduce);
void run(const Context& context, const Scatter& scatter);
void run(const Context& context, const Gather& gather);
void run(const Context& context, const Extract& extract);
void run(const Context& context, const Replace& replace);
void run(const Context& context, const Dist& dist);
void run(const Context& context, const Index& index);
void run(const Context& context, const Slice& slice);
void run(const Context& context, const Append& append);
void run(const Context& context, const Merge& merge);
void run(const Context& context, const Rank& rank);
void run(const Context& context, const Count& count);
std::unique_ptr<PackPlan> plan_pack(const Context& context, Operand flags, const SegmentDescriptor& descriptor,
                                    Result lengths);
void run(const Context& context, const Pack& pack);
LengthsSummary summarize_lengths(const Context& context, Operand lengths);
void run(const Context& context, const MakeOffsets& make_offsets);
void run(const Context& context, const MakeSegmentHeads& make_segment_heads);

}  // namespace cvl::cuda
