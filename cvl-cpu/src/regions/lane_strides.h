#pragma once

#include <cstddef>
#include <vector>

#include "regions/native_region.h"

namespace cvl::cpu {

/// By how much integers may grow from each lane to the next one: a set. Empty: nothing is expected of them.
struct Strides {
  bool down = false;  ///< -1
  bool same = false;  ///< 0
  bool up = false;    ///< 1

  bool any() const { return down || same || up; }
};

/// What is to be expected of each of the kernel's values, of which there are so many, as far as a region has it; of
/// others nothing. It may be wrong, as the stride of an INDEX is a number of the run, and conditions may choose another
/// value in each lane: code has to look.
std::vector<Strides> lane_strides(const Region& region, std::size_t values);

}  // namespace cvl::cpu
