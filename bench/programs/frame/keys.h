#pragma once

#include <cstdint>

#include "hashed_data.h"

namespace program_peers {

/// Number i of n keys of a kind, as in keys.nesl.
constexpr std::int32_t key(std::int64_t i, std::int64_t n, std::int64_t kind) {
  const auto range = std::int32_t(n);
  switch (kind) {
    case 0:
      return scramble(std::int32_t(i));
    case 1:
      return below(range, i);
    case 2:
      return below(1 + below(1 + below(range, 3 * i), 3 * i + 1), 3 * i + 2);
    case 3:
      return below(100, i);
    case 4:
      return std::int32_t(i);
    case 5:
      return below(100, i) == 0 ? below(range, i + n) : std::int32_t(i);
    default:
      return 7;
  }
}

/// Number of different keys of a kind, roughly.
constexpr std::int64_t distinct_keys(std::int64_t n, std::int64_t kind) { return kind == 3 ? 100 : kind == 6 ? 1 : n; }

}  // namespace program_peers
