#pragma once

#include <cstdint>
#include <limits>

#include "vcode/arith.h"

namespace cvl {

/// The result of an arg-reduction of the segment [begin, end), where `position` is the position of the first element
/// that equals the reduction, or -1.
template <class I>
VC_HD constexpr I index_of_extreme(std::int64_t position, std::int64_t begin, std::int64_t end) {
  return begin == end ? std::numeric_limits<I>::max() : static_cast<I>((position < 0 ? end : position) - begin);
}

/// The reduction by M, which is kMax or kMin, of some elements of a segment, and the position of the first element that
/// equals it.
template <class M, class T>
struct Extreme {
  static_assert(M::kSelects);
  T value = M::template identity<T>();
  std::int64_t position = -1;  ///< -1: no element equals it: there are none but NaN

  // Inlined: otherwise objects of several instruction sets would define take(), of which the linker keeps one for all.
  /// Adds the next element, at a position behind all others. A NaN, which M ignores, changes nothing.
  [[gnu::always_inline]] void take(T x, std::int64_t at) { take({x, at}); }
  /// Adds the summary of elements behind all of these.
  [[gnu::always_inline]] void take(const Extreme& behind) {
    const T both = M::template combine<T>(behind.value, value);
    if (behind.position >= 0 && (both != value || (position < 0 && behind.value == value)))
      *this = {both, behind.position};
  }
};

}  // namespace cvl
