#include "base/chunks.h"

#include <algorithm>

#include "base/check.h"
#include "tuning/chunk_tuning.h"

namespace cvl::cpu {
namespace {

/// The first k in [low, high) for which before(k) is false, or high; before(k) is true of all smaller k.
template <class Before>
std::int64_t first_not(std::int64_t low, std::int64_t high, const Before& before) {
  while (low < high) {
    const std::int64_t k = low + (high - low) / 2;
    if (before(k))
      low = k + 1;
    else
      high = k;
  }
  return low;
}

/// As first_not(), by a galloping search from `expected`, which reads nothing far from there (Bentley and Yao, "An
/// almost optimal algorithm for unbounded searching", 1976).
template <class Before>
std::int64_t first_not_near(std::int64_t low, std::int64_t high, std::int64_t expected, const Before& before) {
  if (expected <= low || expected >= high) return first_not(low, high, before);
  std::int64_t step = kGallopStep;
  if (before(expected - 1)) {
    low = expected;
    for (; low + step < high && before(low + step - 1); step *= 2) low += step;
    return first_not(low, std::min(high, low + step), before);
  }
  high = expected - 1;
  for (; high - step > low && !before(high - step); step *= 2) high -= step;
  return first_not(std::max(low, high - step), high, before);
}

}  // namespace

Partition::Boundary Partition::boundary(std::int64_t position, std::int64_t low, std::int64_t expected) const {
  // The end mark of segment k stands at start(k + 1) + k in the sequence of elements and marks.
  const auto stands_before = [&](std::int64_t k) { return descriptor_.offsets[k + 1] + k < position; };
  const std::int64_t segment = descriptor_.is_regular()
                                   ? std::min(descriptor_.segments, position / (descriptor_.regular_length + 1))
                                   : first_not_near(low, descriptor_.segments, expected, stands_before);
  const std::int64_t element = position - segment;
  const std::int64_t start = descriptor_.start(segment), from = grain_.of_segment ? start : 0;
  return {std::max(start, from + (element - from) / grain_.elements * grain_.elements), segment};
}

Chunk Partition::chunk(std::int64_t p) const {
  VC_CHECK(0 <= p && p < chunks());
  const std::int64_t items = descriptor_.elements + descriptor_.segments;
  const Boundary begin = boundary(p * size_, 0, 0);
  const Boundary end =
      boundary(std::min((p + 1) * size_, items), begin.segment, begin.segment + size_ * descriptor_.segments / items);
  return {begin.element, end.element, begin.segment, end.segment};
}

std::int64_t ended_before(const SegmentDescriptor& descriptor, std::int64_t e, std::int64_t low, std::int64_t high) {
  return ended_near(descriptor, e, low, high, low);
}

std::int64_t ended_near(const SegmentDescriptor& descriptor, std::int64_t e, std::int64_t low, std::int64_t high,
                        std::int64_t expected) {
  if (descriptor.is_regular())
    return descriptor.regular_length == 0 ? high : std::min(high, e / descriptor.regular_length);
  return first_not_near(low, high, expected, [&](std::int64_t k) { return descriptor.offsets[k + 1] <= e; });
}

}  // namespace cvl::cpu
