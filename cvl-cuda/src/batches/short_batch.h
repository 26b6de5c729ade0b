#pragma once

#include <array>
#include <optional>
#include <span>

#include "batches/steps.h"
#include "executor/executor.h"

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
std::optional<Step> step_of(const MakeSegmentHeads& heads);
std::optional<Step> step_of(const Rank& rank);

template <class T>
std::optional<Step> step_of(const T&) {
  return {};
}

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
  /// Launches the steps and clears the batch, even if the launch fails. True if the kernel gives the reply with
  /// `letters`: one is wanted, and there is room for it among the arguments. Throws OutOfMemory.
  bool launch(Executor& executor, const Letters& letters);

 private:
  std::array<Step, Batch::kMost> steps_;
  int count_ = 0;
};

}  // namespace cvl::cuda
