#pragma once

#include "cvl/backend.h"

namespace cvl::cpu {

struct LengthsKernels {
  struct Summary {
    std::int64_t shortest, longest;
    std::int64_t total;  ///< wraps around; right if longest is below 2^63 / (end - begin)
  };
  using Summarize = Summary(const void* lengths, std::int64_t begin, std::int64_t end);
  /// offsets[k] = before + the lengths from `begin` up to k, for k in [begin, end).
  using Offsets = void(const void* lengths, std::int64_t begin, std::int64_t end, std::int64_t before,
                       std::int64_t* offsets);

  /// By storage of the lengths.
  Summarize* summarize[vcode::kElemTypes] = {};
  Offsets* offsets[vcode::kElemTypes] = {};
};

}  // namespace cvl::cpu
