#pragma once

#include <algorithm>
#include <cstdint>

#include "cvl/backend.h"

namespace cvl::cpu {

/// Calls each(k, c) for each segment k of `fine`, a part of segment c of `coarse`. Returns false if the segments of
/// `coarse` do not consist of segments of `fine`; not all calls are made then.
template <class Each>
bool for_each_part(const SegmentDescriptor& fine, const SegmentDescriptor& coarse, Each&& each) {
  if (coarse.segments == 0 || coarse.elements != fine.elements) return false;
  std::int64_t c = 0;
  for (std::int64_t k = 0; k < fine.segments; ++k) {
    const std::int64_t begin = fine.start(k), end = fine.start(k + 1);
    while (c < coarse.segments && coarse.start(c + 1) <= begin) ++c;
    if (begin < end && (c == coarse.segments || coarse.start(c + 1) < end)) return false;
    each(k, std::min(c, coarse.segments - 1));
  }
  return true;
}

/// Whether the segments of `coarse` consist of segments of `fine`. O(segments).
inline bool consists_of(const SegmentDescriptor& coarse, const SegmentDescriptor& fine) {
  return for_each_part(fine, coarse, [](std::int64_t, std::int64_t) {});
}

}  // namespace cvl::cpu
