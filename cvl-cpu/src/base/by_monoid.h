#pragma once

#include "cvl/backend.h"

namespace cvl::cpu {

/// A value for each monoid and each storage type of its elements.
template <class T>
struct ByMonoid {
  T values[vcode::kMonoids][vcode::kElemTypes] = {};

  T& at(Monoid m, ElemType t) { return values[static_cast<int>(m)][static_cast<int>(t)]; }
  const T& at(Monoid m, ElemType t) const { return values[static_cast<int>(m)][static_cast<int>(t)]; }
};

}  // namespace cvl::cpu
