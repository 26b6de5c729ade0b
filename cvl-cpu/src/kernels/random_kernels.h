#pragma once

#include "cvl/backend.h"

namespace cvl::cpu {

struct RandomKernels {
  /// Draws elements [begin, end), `begin` a multiple of 64, up to the first bound that is 0. Returns the index of that
  /// bound, or -1. The result may overwrite the bounds.
  using Draw = std::int64_t(const void* bounds, RandomKey key, std::int64_t begin, std::int64_t end, void* result);
  Draw* i32 = nullptr;
  Draw* i64 = nullptr;
};

}  // namespace cvl::cpu
