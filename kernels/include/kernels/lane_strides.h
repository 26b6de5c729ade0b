#pragma once

#include <cstddef>
#include <vector>

#include "kernels/loop.h"

namespace kernels {


/// Expected differences between the integers in neighbouring lanes: a set of -1, 0, 1. Empty: nothing is expected.
struct Strides {
  bool down = false;  ///< -1
  bool same = false;  ///< 0
  bool up = false;    ///< 1

  bool any() const { return down || same || up; }
};

/// Expected strides of each of the kernel's `values` values, as far as the loop computes or reads them. The
/// expectation may be wrong, as the stride of an INDEX is known at run time only, and conditions may choose another
/// value in each lane: compiled code has to check.
std::vector<Strides> lane_strides(const Loop& loop, std::size_t values);

}  // namespace kernels
