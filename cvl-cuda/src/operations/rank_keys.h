#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "vcode/arith.h"

namespace cvl::cuda {

template <class T>
using KeyOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// An unsigned number that orders like x: NaN above every number, -0.0 equal to 0.0. The key for descending order is
/// the complement, which keeps equal elements equal.
template <class T>
VC_HD KeyOf<T> key_of(T x, bool descending) {
  using Key = KeyOf<T>;
  constexpr Key kSign = Key{1} << (8 * sizeof(T) - 1);
  Key key;
  if constexpr (std::is_floating_point_v<T>) {
    if (x == T(0)) x = T(0);
    memcpy(&key, &x, sizeof key);
    key = (key & kSign) != 0 ? Key(~key) : Key(key | kSign);
    if (x != x) key = ~Key{0};
  } else {
    key = static_cast<Key>(x) ^ kSign;
  }
  return descending ? Key(~key) : key;
}

}  // namespace cvl::cuda
