#include "exchange/segment_cut.h"

#include <algorithm>

#include "base/check.h"

namespace cvl::mpi {

SegmentCut::SegmentCut(const RankGroup& group, const SegmentDescriptor& descriptor)
    : group_(group), descriptor_(descriptor) {
  if (group.is_divided(descriptor.elements))
    cut_by_elements();
  else if (group.is_divided(entries_of(descriptor)))
    cut_by_segments();
  else
    is_whole_ = true;
  if (!starts_) starts_.emplace(group, descriptor, all_touched());
}

void SegmentCut::cut_by_segments() {
  // The elements are on every rank, so that they may be cut where segments begin.
  const Ranges shares = group_.is_divided(descriptor_.segments) ? group_.distribution.parts(descriptor_.segments)
                                                                : group_.distribution.shares(descriptor_.segments);
  starts_.emplace(group_, descriptor_, shares);
  const Range mine = shares[at(group_.rank())];
  const std::int64_t begin = mine.empty() ? -1 : start(mine.begin);
  start_ = group_.messenger.gather_to_all(begin);
  start_.push_back(descriptor_.elements);
  for (std::size_t r = shares.size(); r-- > 0;)
    if (start_[r] < 0) start_[r] = start_[r + 1];
  for (const Range& share : shares) first_.push_back(share.begin);
  first_.push_back(descriptor_.segments);
  bounds_ = start_;
}

void SegmentCut::cut_by_elements() {
  const auto ends = static_cast<std::size_t>(group_.ranks()) + 1;
  for (const Range& part : group_.distribution.parts(descriptor_.elements)) bounds_.push_back(part.begin);
  bounds_.push_back(descriptor_.elements);
  first_.resize(ends);
  start_.resize(ends);
  if (descriptor_.is_regular()) {
    for (std::size_t r = 0; r < ends; ++r) {
      first_[r] = bounds_[r] / descriptor_.regular_length;
      start_[r] = first_[r] * descriptor_.regular_length;
    }
    return;
  }
  // The number of segments that end at or before a bound is the number of the last offset that is not greater.
  const Operand offsets = offsets_of(descriptor_);
  const Range held = group_.part(offsets.length);
  group_.before_reading(elements_of(offsets, held));
  const auto* const begin = static_cast<const std::int64_t*>(offsets.data) + held.begin;
  const auto* const end = begin + held.size();
  std::vector<std::int64_t> found(2 * ends, -1);
  for (std::size_t r = 0; r < ends; ++r) {
    const auto* const next = std::upper_bound(begin, end, bounds_[r]);
    if (next == begin) continue;
    found[r] = held.begin + (next - begin) - 1;
    found[ends + r] = next[-1];
  }
  if (group_.is_divided(offsets.length)) group_.messenger.reduce(found, Reduction::kMax);
  std::copy_n(found.begin(), ends, first_.begin());
  std::copy_n(found.begin() + static_cast<std::ptrdiff_t>(ends), ends, start_.begin());
  first_[0] = start_[0] = 0;  // rank 0 also finishes empty segments before all elements
}

Range SegmentCut::elements(int rank) const {
  return is_whole_ ? Range{0, descriptor_.elements} : Range{bounds_[at(rank)], bounds_[at(rank) + 1]};
}

Range SegmentCut::finished(int rank) const {
  return is_whole_ ? Range{0, descriptor_.segments} : Range{first_[at(rank)], first_[at(rank) + 1]};
}

Range SegmentCut::touched(int rank) const {
  Range range = finished(rank);
  if (has_tail(rank)) ++range.end;
  return range;
}

Range SegmentCut::segments_of(Range elements) const {
  const Range all = touched();
  if (elements == this->elements()) return all;
  /// The first segment that ends behind an element.
  const auto containing = [&](std::int64_t element) {
    Range rest = all;
    while (!rest.empty()) {
      const std::int64_t middle = rest.begin + rest.size() / 2;
      if (start(middle + 1) > element)
        rest.end = middle;
      else
        rest.begin = middle + 1;
    }
    return rest.begin;
  };
  if (elements.empty()) return {all.begin, all.begin};
  return {containing(elements.begin), containing(elements.end - 1) + 1};
}

std::int64_t SegmentCut::fold_begin(int rank) const {
  const std::int64_t start = start_[at(rank)];
  return start + (bounds_[at(rank)] - start) / kFoldBlock * kFoldBlock;
}

bool SegmentCut::any_continued() const {
  for (int r = 0; r < group_.ranks(); ++r)
    if (is_continued(r)) return true;
  return false;
}

Ranges SegmentCut::of_all(Range (SegmentCut::*of_rank)(int) const) const {
  Ranges all(static_cast<std::size_t>(group_.ranks()));
  for (int r = 0; r < group_.ranks(); ++r) all[at(r)] = (this->*of_rank)(r);
  return all;
}

const SegmentDescriptor& SegmentCut::local(Range elements, Range segments) {
  for (const Local& local : locals_)
    if (local.elements == elements && local.segments == segments) return local.descriptor;
  constexpr std::size_t kMostLocals = 4;
  if (locals_.size() == kMostLocals) locals_.pop_back();
  Local local{elements, segments, {}, {segments.size(), elements.size(), -1}};
  SegmentDescriptor& descriptor = local.descriptor;
  const std::int64_t regular = descriptor_.regular_length;
  if (segments.size() <= 1)
    descriptor.regular_length = elements.size();
  else if (regular >= 0 && start(segments.begin) == elements.begin && start(segments.end) == elements.end)
    descriptor.regular_length = regular;
  if (segments.empty()) descriptor.regular_length = 0;
  if (!descriptor.is_regular()) {
    local.offsets = scratch_for(group_, ElemType::kI64, segments.size() + 1);
    auto* const offsets = local.offsets.as<std::int64_t>();
    for (std::int64_t k = segments.begin; k < segments.end; ++k)
      offsets[k - segments.begin] = std::clamp(start(k), elements.begin, elements.end) - elements.begin;
    offsets[segments.size()] = elements.size();
    descriptor.offsets = offsets;
  }
  return locals_.emplace_front(std::move(local)).descriptor;
}

std::shared_ptr<SegmentCut> SegmentCuts::of(const SegmentDescriptor& descriptor) {
  const auto same = [&](const std::shared_ptr<SegmentCut>& cut) {
    const SegmentDescriptor& other = cut->descriptor();
    return other.segments == descriptor.segments && other.elements == descriptor.elements &&
           other.regular_length == descriptor.regular_length &&
           (descriptor.is_regular() || other.offsets == descriptor.offsets);
  };
  std::shared_ptr<SegmentCut> cut;
  if (const auto found = std::ranges::find_if(cuts_, same); found != cuts_.end()) {
    cut = *found;
    cuts_.erase(found);
  } else {
    cut = std::make_shared<SegmentCut>(group_, descriptor);
    if (cuts_.size() == kMost) cuts_.pop_back();
  }
  cuts_.push_front(cut);
  return cut;
}

void SegmentCuts::remove(const void* data, std::size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(data);
  std::erase_if(cuts_, [&](const std::shared_ptr<SegmentCut>& cut) {
    const auto* const offsets = reinterpret_cast<const std::byte*>(cut->descriptor().offsets);
    return !cut->descriptor().is_regular() && begin <= offsets && offsets < begin + bytes;
  });
}

}  // namespace cvl::mpi
