#pragma once

#include <cstdint>

#include "vcode/arith.h"

namespace cvl::cuda {

/// Loads element e of a vector.
template <class T>
struct LoadFrom {
  const T* from;
  VC_HD T operator()(std::int64_t e) const { return from[e]; }
};

/// Stores element e of a vector.
template <class T>
struct StoreTo {
  T* to;
  VC_HD void operator()(std::int64_t e, T value) const { to[e] = value; }
};

}  // namespace cvl::cuda
