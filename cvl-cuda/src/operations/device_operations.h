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

#define CVL_DECLARE(Name) void run(const Context& context, const Name& description);
CVL_BASIC_OPS(CVL_DECLARE)
CVL_DECLARE(MakeSegmentHeads)
#undef CVL_DECLARE
/// Without `awaits_kept`, the number of kept elements is left to the caller, who has the lengths.
std::unique_ptr<PackPlan> plan_pack(const Context& context, Operand flags, const SegmentDescriptor& descriptor,
                                    Result lengths, bool awaits_kept);
LengthsSummary summarize_lengths(const Context& context, const MakeOffsets& op);
struct KeptPositions;
/// A merge by the positions of its flags.
void merge_by(const Context& context, const Merge& merge, const KeptPositions& chosen);
inline constexpr int kMostOffsets = 4;
/// Makes the offsets of several descriptors, at most kMostOffsets, by one launch. Their lengths are of one type, and
/// none of them is a result of another.
void make_offsets_of(const Context& context, std::span<const MakeOffsets> ops);

}  // namespace cvl::cuda
