#pragma once

#include "cvl/backend.h"

namespace cvl::cpu {

struct LengthsKernels {
  struct Summary {
    std::int64_t shortest, longest;
    std::int64_t total;  ///< modulo 2^64; exact if no length is negative and longest < 2^63 / (end - begin)
  };
  /// Summarizes lengths [begin, end), at least one.
  using Summarize = Summary(const void* lengths, std::int64_t begin, std::int64_t end);
  /// offsets[k] = before + the sum of lengths [begin, k), for k in [begin, end).
  using Offsets = void(const void* lengths, std::int64_t begin, std::int64_t end, std::int64_t before,
                       std::int64_t* offsets);

  /// Indexed by the storage type of the lengths.
  Summarize* summarize[vcode::kElemTypes] = {};
  Offsets* offsets[vcode::kElemTypes] = {};
};

}  // namespace cvl::cpu
