#pragma once

#include <type_traits>

#include "cvl/dispatch.h"

namespace cvl::cuda {

/// Combines what is before with what is behind it.
template <class M, class T>
struct CombineBy {
  VC_HD T operator()(T before, T behind) const { return M::template combine<T>(behind, before); }
};

/// True if the order in which elements are combined does not change a bit of the result.
template <class M, class T>
inline constexpr bool kIsExact =
    !std::is_floating_point_v<T> || M::kMonoid == Monoid::kMax || M::kMonoid == Monoid::kMin;

/// Elements as a reduction of a part may see them, which need not begin with the neutral element: MAX and MIN ignore
/// NaN only if they began with a number, and what begins with 0.0 never becomes -0.0.
template <class M, class T>
struct LoadFor {
  const T* from;
  VC_HD T operator()(std::int64_t e) const {
    const T x = from[e];
    if constexpr (std::is_floating_point_v<T> && kIsExact<M, T>) return x == x ? x : M::template neutral<T>();
    if constexpr (std::is_floating_point_v<T> && M::kMonoid == Monoid::kSum) return x + M::template neutral<T>();
    return x;
  }
};

}  // namespace cvl::cuda
