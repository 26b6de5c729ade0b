#pragma once

#include <cstdint>

#include "../frame/ragged_rows.h"

namespace program_peers {

using Lists = RaggedRows<std::int32_t>;

/// Sum of the products of elements and positions, modulo 2^32.
inline std::int32_t sum_by_place(const std::int32_t* elements, std::int64_t n) {
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += std::uint32_t(elements[i]) * std::uint32_t(i);
  return std::int32_t(sum);
}

}  // namespace program_peers
