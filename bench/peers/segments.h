#pragma once

#include <algorithm>

#include "peers/peers.h"

namespace peers {

/// Calls f(k, begin, end) for the part of each nonempty segment that lies in [begin, end).
template <class F>
void for_segments(const Segments& s, std::int64_t begin, std::int64_t end, F&& f) {
  if (s.offsets == nullptr) {
    if (begin < end) f(std::int64_t(0), begin, end);
    return;
  }
  std::int64_t k = std::upper_bound(s.offsets, s.offsets + s.count + 1, begin) - s.offsets - 1;
  while (begin < end) {
    const std::int64_t stop = s.offsets[k + 1] < end ? s.offsets[k + 1] : end;
    if (begin < stop) f(k, begin, stop);
    begin = stop;
    ++k;
  }
}

/// First element of segment k.
inline std::int64_t start_of(const Segments& s, std::int64_t k) { return s.offsets == nullptr ? 0 : s.offsets[k]; }

}  // namespace peers
