#pragma once

#include <cstdint>
#include <limits>

#include "vcode/arith.h"

namespace cvl {

/// The result of an arg-reduction of a segment with the elements from `begin` to `end`, where `place` is the first one
/// that equals its reduction, or -1.
template <class I>
VC_HD constexpr I index_of_extreme(std::int64_t place, std::int64_t begin, std::int64_t end) {
  return begin == end ? std::numeric_limits<I>::max() : static_cast<I>((place < 0 ? end : place) - begin);
}

/// The reduction by M, which is kMax or kMin, of some of the elements of a segment, and where the first element is that
/// equals it.
template <class M, class T>
struct Extreme {
  static_assert(M::kSelects);
  T value = M::template neutral<T>();
  std::int64_t place = -1;  ///< -1: no element equals it: there is none but NaN

  // take() is inlined, or objects of several instruction sets would have it, of which the linker keeps one for all.
  /// The next element, at a place behind all others. A NaN, which M ignores, changes nothing.
  [[gnu::always_inline]] void take(T x, std::int64_t at) { take({x, at}); }
  /// What there is of the elements behind all of these.
  [[gnu::always_inline]] void take(const Extreme& behind) {
    const T both = M::template combine<T>(behind.value, value);
    if (behind.place >= 0 && (both != value || (place < 0 && behind.value == value))) *this = {both, behind.place};
  }
};

}  // namespace cvl
