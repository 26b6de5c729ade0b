#pragma once

#include <utility>

#include "vcode/types.h"

namespace cvl::conformance {

/// Calls f.template operator()<T>() with the C++ type that stores `type`.
template <class F>
void visit_type(vcode::ElemType type, F&& f) {
  [&]<int... t>(std::integer_sequence<int, t...>) {
    (
        [&] {
          if (static_cast<int>(type) == t) f.template operator()<vcode::Storage<static_cast<vcode::ElemType>(t)>>();
        }(),
        ...);
  }
  (std::make_integer_sequence<int, vcode::kElemTypes>{});
}

}  // namespace cvl::conformance
