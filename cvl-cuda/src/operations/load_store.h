#pragma once

#include <cstdint>

#include "vcode/arith.h"

namespace cvl::cuda {

/// Stores element e of a vector.
template <class T>
struct StoreTo {
  T* to;
  VC_HD void operator()(std::int64_t e, T value) const { to[e] = value; }
};

/// Stores the only element of a vector.
template <class T>
struct StoreOne {
  T* to;
  VC_HD void operator()(const T& value) const { *to = value; }
};

}  // namespace cvl::cuda
