#include "segments.h"

#include <algorithm>

namespace cvl::cpu {

/// The end mark of segment k stands at start(k + 1) + k in the sequence of elements and marks.
std::int64_t Partition::marks_before(std::int64_t position) const {
  if (map_.is_regular()) return std::min(map_.segments, position / (map_.regular_length + 1));
  std::int64_t low = 0, high = map_.segments;
  while (low < high) {
    const std::int64_t k = low + (high - low) / 2;
    if (map_.offsets[k + 1] + k < position)
      low = k + 1;
    else
      high = k;
  }
  return low;
}

Partition::Cut Partition::cut(std::int64_t position) const {
  const std::int64_t segment = marks_before(position), element = position - segment;
  return {std::max(map_.start(segment), element / grain_ * grain_), segment};
}

Piece Partition::piece(std::int64_t p) const {
  const Cut begin = cut(p * size_), end = cut(std::min((p + 1) * size_, map_.elements + map_.segments));
  return {begin.element, end.element, begin.segment, end.segment};
}

}  // namespace cvl::cpu
