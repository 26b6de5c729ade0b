#pragma once

#include <cstdint>
#include <type_traits>

#include "cvl/dispatch.h"
#include "vcode/arith.h"

namespace cvl {

/// Element k of a vector that the host can read; a FLOAT is truncated, where that is defined.
inline std::int64_t integer_at(const Operand& v, std::int64_t k) {
  return with_type(v.type, [&]<class T>() {
    const T x = static_cast<const T*>(v.data)[k];
    if constexpr (std::is_floating_point_v<T>)
      return vcode::int_of<std::int64_t>(x);
    else
      return static_cast<std::int64_t>(x);
  });
}

}  // namespace cvl
