#pragma once

#include <array>
#include <optional>
#include <span>

#include "batches/steps.h"
#include "executor/executor.h"
#include "operations/bit_plan.h"

namespace cvl::cuda {

// Construct the steps of operations of cvl::Backend. The result is empty if the operation is too long for a batch or is
// of a kind that cannot be a step.

std::optional<Step> step_of(const Elementwise& elementwise);
std::optional<Step> step_of(const Scan& scan);
std::optional<Step> step_of(const Reduce& reduce);
std::optional<Step> step_of(const Gather& gather);
std::optional<Step> step_of(const Extract& extract);
std::optional<Step> step_of(const Replace& replace);
std::optional<Step> step_of(const Scatter& scatter);
std::optional<Step> step_of(const Dist& dist);
std::optional<Step> step_of(const Index& index);
std::optional<Step> step_of(const Slice& slice);
std::optional<Step> step_of(const Append& append);
std::optional<Step> step_of(const Merge& merge);
std::optional<Step> step_of(const MakeOffsets& offsets);
std::optional<Step> step_of(const MakeSegmentHeads& heads);
std::optional<Step> step_of(const Rank& rank);

/// The step that makes the positions of the flags of a merge, for a launch that follows.
std::optional<Step> step_of_chosen(const Operand& flags, const BitPlan& plan);

template <class T>
std::optional<Step> step_of(const T&) {
  return {};
}

/// Lets the step of a MakeOffsets also store the Summary of the lengths at this address.
inline void add_summary(Step& offsets, void* to) { offsets.operands[2].data = to; }

/// A batch: operations on few elements that were issued and wait to be launched together, as steps of one kernel of one
/// block. Consecutive short operations take one launch instead of one each. Short uploads wait with them, and are done
/// before the first step.
class ShortBatch {
 public:
  bool is_empty() const { return count_ == 0 && deliveries_.is_empty(); }
  bool is_full() const { return count_ == Batch::kMost; }
  bool has_room_for_upload(std::size_t bytes) const { return deliveries_.has_room(bytes); }
  /// The sites of the first step and of the last; `otherwise` if there are only uploads.
  Sites sites(std::uint32_t otherwise) const {
    if (count_ == 0) return {otherwise, otherwise};
    return {steps_[0].site, steps_[static_cast<std::size_t>(count_ - 1)].site};
  }
  /// True if a step reads or fills the block of memory at this address, or an upload fills some of its first `bytes`.
  bool refers_to(const void* data, std::size_t bytes) const;

  /// Requires that the batch is not full.
  void add(const Step& step, std::uint32_t site);
  /// Requires room, Deliveries::suit(), and that the batch does not refer to `to`.
  void upload(void* to, const void* from, std::size_t bytes) { deliveries_.add(to, from, bytes); }
  /// Launches the steps and clears the batch, even if the launch fails. True if the kernel gives the reply with
  /// `letters`: one is wanted, and there is room for it among the arguments. Throws OutOfMemory; the uploads are then
  /// done without the kernel, as values of the host do not become wrong by the failure of an operation.
  bool launch(Executor& executor, const Letters& letters);

 private:
  std::array<Step, Batch::kMost> steps_;
  int count_ = 0;
  Deliveries deliveries_;
};

}  // namespace cvl::cuda
