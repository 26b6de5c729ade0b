#include "operations/local_segments.h"

#include <algorithm>
#include <utility>

#include "operations/carries.h"

namespace cvl::mpi {

namespace {

std::int64_t pieces_of(std::int64_t elements, bool by_blocks) {
  return by_blocks ? (elements + kFoldBlock - 1) / kFoldBlock : elements > 0 ? 1 : 0;
}

/// All touched segments if the elements are all of the rank's part, empty ones at its ends included.
Range segments_with(const SegmentCut& cut, Range elements) {
  const Range part = cut.elements();
  return elements.begin <= part.begin && elements.end == part.end ? cut.touched() : cut.segments_of(elements);
}

}  // namespace

LocalSegments::LocalSegments(const RankGroup& group, std::shared_ptr<SegmentCut> cut, Range elements, bool by_blocks)
    : cut_(std::move(cut)), elements_(elements), segments_(segments_with(*cut_, elements)), by_blocks_(by_blocks) {
  Range middle = segments_;
  Range head{elements.begin, elements.begin}, tail{elements.end, elements.end};
  if (!elements.empty() && cut_->start(segments_.begin) < elements.begin) {
    head.end = std::min(cut_->start(segments_.begin + 1), elements.end);
    ++middle.begin;
  }
  if (!middle.empty() && cut_->start(segments_.end) > elements.end) {
    tail.begin = cut_->start(segments_.end - 1);
    --middle.end;
  }
  of_head_ = pieces_of(head.size(), by_blocks);
  of_tail_ = pieces_of(tail.size(), by_blocks);
  if (are_whole() && cut_->elements().contains(elements)) {
    descriptor_ = cut_->local(elements, segments_);
    return;
  }
  const std::int64_t count = of_head_ + middle.size() + of_tail_;
  descriptor_ = {count, elements.size(), -1};
  if (count <= 1) {
    descriptor_.regular_length = elements.size();
  } else if (elements.size() == count * kFoldBlock && count == of_head_ + of_tail_ && head.size() % kFoldBlock == 0) {
    descriptor_.regular_length = kFoldBlock;
  } else {
    offsets_ = scratch_for(group, ElemType::kI64, count + 1);
    auto* offset = offsets_.as<std::int64_t>();
    for (std::int64_t k = 0; k < of_head_; ++k) *offset++ = k * kFoldBlock;
    for (std::int64_t k = middle.begin; k < middle.end; ++k) *offset++ = cut_->start(k) - elements.begin;
    for (std::int64_t k = 0; k < of_tail_; ++k) *offset++ = tail.begin - elements.begin + k * kFoldBlock;
    *offset = elements.size();
    descriptor_.offsets = offsets_.as<std::int64_t>();
  }
}

std::int64_t given_pieces(const SegmentCut& cut, bool by_blocks, int rank) {
  return folds_of(given_elements(cut, by_blocks, rank), by_blocks);
}

}  // namespace cvl::mpi
