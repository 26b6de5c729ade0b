#pragma once

#include <type_traits>

#include "cvl/dispatch.h"
#include "vcode/arith.h"

namespace cvl::cuda {

/// Combines two operands in the order of elements.
template <class M, class T>
struct CombineBy {
  VC_HD T operator()(T before, T behind) const { return M::template combine<T>(behind, before); }
};

/// Converts an element for a partial reduction. Unlike a whole reduction, a part does not begin with the identity
/// element, so each float is combined with it here. Otherwise MAX and MIN of a part that begins with NaN would be NaN,
/// and a sum of -0.0 would be -0.0 where a sum that begins with 0.0 is 0.0.
template <class M, class T>
struct PartOf {
  VC_HD T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>) return M::template combine<T>(x, M::template identity<T>());
    return x;
  }
};

}  // namespace cvl::cuda
