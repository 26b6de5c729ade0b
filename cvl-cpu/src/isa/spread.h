#pragma once

/// Computes, for each of some consecutive elements, the start and the length of its segment in another vector with as
/// many segments.

#include <algorithm>

#include "isa/group_scan.h"
#include "tuning/position_tuning.h"
#include "vcode/op_semantics.h"

namespace cvl::cpu::CVL_ISA {

/// Additional elements for which the arrays passed to spread_tiny need room.
inline constexpr int64_t kSpreadRoom = kGroup;

/// Whether the segments of elements [begin, end) of `descriptor` have fewer than kTinySegment elements on average.
/// Segment k is the first of them.
inline bool are_tiny(const SegmentDescriptor& descriptor, int64_t k, int64_t begin, int64_t end) {
  const int64_t few = k + (end - begin) / kTinySegment;
  return few <= descriptor.segments && descriptor.start(few) < end;
}

/// Whether each element of [begin, end) of `descriptor` is a segment of its own. Segment k is the first of them.
inline bool are_singletons(const SegmentDescriptor& descriptor, int64_t k, int64_t begin, int64_t end) {
  const int64_t n = end - begin;
  if (k + n > descriptor.segments || descriptor.start(k) != begin || descriptor.start(k + n) != end) return false;
  if (descriptor.is_regular()) return true;
  int64_t elsewhere = 0;
  for (int64_t j = 0; j < n; ++j) elsewhere |= descriptor.offsets[k + j] - (begin + j);
  return elsewhere == 0;
}

/// starts[j] and lengths[j] = the start and the length of segment k + j of `descriptor`, for n segments.
template <class W>
void copy_bounds(const SegmentDescriptor& descriptor, int64_t k, int64_t n, W* starts, W* lengths) {
  if (descriptor.is_regular()) {
    for (int64_t j = 0; j < n; ++j) starts[j] = static_cast<W>((k + j) * descriptor.regular_length);
    std::fill(lengths, lengths + n, static_cast<W>(descriptor.regular_length));
  } else {
    const int64_t* offsets = descriptor.offsets + k;
    for (int64_t j = 0; j < n; ++j) {
      starts[j] = static_cast<W>(offsets[j]);
      lengths[j] = static_cast<W>(offsets[j + 1] - offsets[j]);
    }
  }
}

/// bases[e - begin] and lengths[e - begin] = the start and the length in `from` of the segment that element e of `to`
/// is in, for e in [begin, end). Element `begin` is in segment k. Returns the segment of element end - 1. As starts and
/// ends increase, two narrow stores per segment and a running maximum over the elements suffice; vector stores for each
/// segment would cross cache lines and overlap.
template <class W>
int64_t spread_tiny(const SegmentDescriptor& from, const SegmentDescriptor& to, int64_t k, int64_t begin, int64_t end,
                    W* bases, W* lengths) {
  if (are_singletons(to, k, begin, end)) {
    copy_bounds(from, k, end - begin, bases, lengths);
    return k + (end - begin) - 1;
  }
  const int64_t room = (end - begin + kGroup - 1) / kGroup * kGroup;
  std::memset(bases, 0, static_cast<std::size_t>(room) * sizeof(W));
  std::memset(lengths, 0, static_cast<std::size_t>(room) * sizeof(W));
  // The scans are exclusive: the value for an element and those after it is stored at the preceding element.
  GroupScan<vcode::monoids::Max, W> base(static_cast<W>(from.start(k))), stop(static_cast<W>(from.start(k + 1)));
  for (int64_t first; k + 1 < to.segments && (first = to.start(k + 1)) < end; ++k) {
    bases[first - begin - 1] = static_cast<W>(from.start(k + 1));
    lengths[first - begin - 1] = static_cast<W>(from.start(k + 2));
  }
  for (int64_t e = 0; e < room; e += kGroup) {
    base.template scan<false>(bases + e, bases + e, 0);
    stop.template scan<false>(lengths + e, lengths + e, 0);
    for (int64_t j = e; j < e + kGroup; ++j) lengths[j] -= bases[j];
  }
  return k;
}

}  // namespace cvl::cpu::CVL_ISA
