#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "base/chunks.h"
#include "cvl/backend.h"
#include "kernels/loop_plan.h"

namespace cvl::cpu {

/// Whether two segmentations are known to be equal without comparing their segments.
bool are_known_to_be_equal(const SegmentDescriptor& a, const SegmentDescriptor& b);
/// Whether two segmentations are equal. O(segments) unless that is known.
bool are_equal(const SegmentDescriptor& a, const SegmentDescriptor& b);
/// O(segments) unless these are known to have equal lengths.
std::int64_t longest_segment(const SegmentDescriptor& descriptor);

/// The index space of a run of a kernel: its segmentations, numbered as LoopPlan::segmentations, and its chunks. A
/// kernel without descriptors has one segmentation, into a single segment.
class IndexSpace {
 public:
  /// Descriptors whose segments turn out to be the same, in O(segments), are made known to be equal.
  /// A chunk has about `chunk_items` elements plus segments, and no part of a block of elements that is folded (see
  /// fold_order.h). Segments of scans are not divided if all have at most `longest_whole` elements.
  IndexSpace(const kernels::LoopPlan& plan, const KernelCall& call, std::int64_t chunk_items,
             std::int64_t longest_whole = 0, std::pmr::polymorphic_allocator<> memory = {});

  std::size_t segmentations() const { return segmentations_.size(); }
  const SegmentDescriptor& operator[](int number) const { return segmentations_[static_cast<std::size_t>(number)]; }
  /// The segmentation by which chunks are made: that of the folds by blocks, or the one with the most segments.
  int main() const { return main_; }
  /// Whether all steps that fold by blocks have the main segmentation: chunks do not fit the blocks of others.
  bool has_blocks_of_main() const { return has_blocks_of_main_; }
  /// Whether chunks consist of whole segments of all scans, so that none goes on from one chunk to the next.
  bool has_whole_scans() const { return has_whole_scans_; }

  std::int64_t chunks() const { return partition_.chunks(); }
  /// Chunk p: its elements, and its segments in a segmentation.
  Chunk chunk(int number, std::int64_t p) const;

 private:
  std::pmr::vector<SegmentDescriptor> segmentations_;
  int main_ = 0;
  bool has_blocks_of_main_, has_whole_scans_;
  Partition partition_{SegmentDescriptor::single(0), 1};
};

}  // namespace cvl::cpu
