#pragma once

#include <array>
#include <optional>
#include <span>

#include "batches/steps.h"
#include "executor/executor.h"

namespace cvl::cuda {

// Construct the steps of operations of cvl::Backend. The result is empty if the operation is too long for a batch or is
// of a kind that cannot be a step.

std::optional<Step> elementwise_step(Op op, std::span<const Operand> operands, const Result& result);
std::optional<Step> scan_step(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor,
                              const Result& result);
std::optional<Step> reduce_step(Monoid monoid, const Operand& a, const SegmentDescriptor& descriptor,
                                const Result& result);
std::optional<Step> gather_step(const Gather& gather, const Result& result);
std::optional<Step> extract_step(const Operand& a, const Operand& i, const SegmentDescriptor& descriptor,
                                 const Result& result);
std::optional<Step> replace_step(const Operand& a, const Operand& i, const Operand& v,
                                 const SegmentDescriptor& descriptor, const Result& result);
std::optional<Step> scatter_step(const Scatter& scatter, const Result& result);
std::optional<Step> dist_step(const Operand& v, const SegmentDescriptor& descriptor, const Result& result);
std::optional<Step> index_step(const Operand& start, const Operand& stride, const SegmentDescriptor& descriptor,
                               const Result& result);
std::optional<Step> slice_step(const Operand& a, const Operand& start, const SegmentDescriptor& descriptor,
                               const Result& result);
std::optional<Step> append_step(const Join& join, const Result& result);
std::optional<Step> merge_step(const Operand& flags, const Join& join, const Result& result);
std::optional<Step> heads_step(const SegmentDescriptor& descriptor, const Result& heads, const Result& nonempty);
std::optional<Step> rank_step(bool descending, const Operand& a, const SegmentDescriptor& descriptor,
                              const Result& result);

/// A batch: operations on few elements that were issued and wait to be launched together, as steps of one kernel of one
/// block. Consecutive short operations take one launch instead of one each.
class ShortBatch {
 public:
  bool is_empty() const { return count_ == 0; }
  bool is_full() const { return count_ == Batch::kMost; }
  /// The site of the first step. Like last_site(), requires a step.
  std::uint32_t site() const { return steps_[0].site; }
  std::uint32_t last_site() const { return steps_[static_cast<std::size_t>(count_ - 1)].site; }
  /// True if a step reads or fills the block of memory at this address.
  bool refers_to(const void* data) const;

  /// Requires that the batch is not full.
  void add(const Step& step, std::uint32_t site);
  /// Launches the steps and clears the batch, even if the launch fails. Throws OutOfMemory.
  void launch(Executor& executor);

 private:
  std::array<Step, Batch::kMost> steps_;
  int count_ = 0;
};

}  // namespace cvl::cuda
