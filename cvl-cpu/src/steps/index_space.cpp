#include "steps/index_space.h"

#include <algorithm>
#include <limits>

#include "cvl/fold_order.h"

namespace cvl::cpu {

bool are_known_to_be_equal(const SegmentDescriptor& a, const SegmentDescriptor& b) {
  if (a.segments != b.segments || a.elements != b.elements || a.regular_length != b.regular_length) return false;
  return a.is_regular() || a.offsets == b.offsets;
}

bool are_equal(const SegmentDescriptor& a, const SegmentDescriptor& b) {
  if (are_known_to_be_equal(a, b)) return true;
  if (a.segments != b.segments || a.elements != b.elements) return false;
  for (std::int64_t k = 0; k < a.segments; ++k)
    if (a.start(k) != b.start(k)) return false;
  return true;
}

std::int64_t longest_segment(const SegmentDescriptor& descriptor) {
  if (descriptor.is_regular()) return descriptor.regular_length;
  std::int64_t longest = 0;
  for (std::int64_t k = 0; k < descriptor.segments; ++k)
    longest = std::max(longest, descriptor.offsets[k + 1] - descriptor.offsets[k]);
  return longest;
}

IndexSpace::IndexSpace(const kernels::LoopPlan& plan, const KernelCall& call, std::int64_t chunk_items,
                       std::int64_t longest_whole, std::pmr::polymorphic_allocator<> memory)
    : segmentations_(memory) {
  segmentations_.reserve(plan.segmentations.size() + 1);
  for (const vcode::KernelVar v : plan.segmentations) {
    const SegmentDescriptor& descriptor = call.descriptors[v];
    const auto same = std::ranges::find_if(
        segmentations_, [&](const SegmentDescriptor& earlier) { return are_equal(earlier, descriptor); });
    segmentations_.push_back(same != segmentations_.end() ? *same : descriptor);
  }
  if (segmentations_.empty()) segmentations_.push_back(SegmentDescriptor::single(call.elements));
  const auto most = std::ranges::max_element(segmentations_, {}, &SegmentDescriptor::segments);
  main_ = plan.by_blocks() ? plan.block_segmentations[0] : static_cast<int>(most - segmentations_.begin());
  has_blocks_of_main_ = std::ranges::all_of(
      plan.block_segmentations, [&](int number) { return are_known_to_be_equal((*this)[number], (*this)[main_]); });
  const auto is_main_if_scan = [&](const kernels::LoopPlan::Step& step) {
    return step.producer != vcode::Producer::kScan || are_known_to_be_equal((*this)[step.segmentation], (*this)[main_]);
  };
  has_whole_scans_ = longest_whole > 0 && plan.scans > 0 && std::ranges::all_of(plan.whole.steps, is_main_if_scan) &&
                     longest_segment((*this)[main_]) <= longest_whole;
  const std::int64_t whole_segments = std::numeric_limits<std::int64_t>::max();
  partition_ = Partition((*this)[main_], chunk_items,
                         {has_whole_scans_   ? whole_segments
                          : plan.by_blocks() ? kFoldBlock
                                             : 1,
                          true});
}

Chunk IndexSpace::chunk(int number, std::int64_t p) const {
  Chunk chunk = partition_.chunk(p);
  const SegmentDescriptor& descriptor = (*this)[number];
  // Chunks count a segment as an item after its elements, so a segment may end in the chunk after its last element.
  if (are_known_to_be_equal(descriptor, (*this)[main_])) return chunk;
  chunk.segment_begin = p == 0 ? 0 : ended_before(descriptor, chunk.element_begin, 0, descriptor.segments);
  chunk.segment_end = p + 1 == chunks()
                          ? descriptor.segments
                          : ended_before(descriptor, chunk.element_end, chunk.segment_begin, descriptor.segments);
  return chunk;
}

}  // namespace cvl::cpu
