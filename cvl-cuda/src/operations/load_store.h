#pragma once

#include <cstdint>

#include "vcode/arith.h"

namespace cvl::cuda {

/// Elements of a vector, for whoever asks for them one by one.
template <class T>
struct LoadFrom {
  const T* from;
  VC_HD T operator()(std::int64_t e) const { return from[e]; }
};

/// Elements of a vector, for whoever has them one by one.
template <class T>
struct StoreTo {
  T* to;
  VC_HD void operator()(std::int64_t e, T value) const { to[e] = value; }
};

}  // namespace cvl::cuda
