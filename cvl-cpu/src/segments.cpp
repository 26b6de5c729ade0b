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

Piece Partition::piece(std::int64_t p) const {
  const std::int64_t begin = p * size_;
  const std::int64_t end = std::min(begin + size_, map_.elements + map_.segments);
  const std::int64_t segment_begin = marks_before(begin), segment_end = marks_before(end);
  return {begin - segment_begin, end - segment_end, segment_begin, segment_end};
}

}  // namespace cvl::cpu
