#pragma once

#include <cstdint>

#include "../frame/huge_buffer.h"

namespace program_peers {

/// Sequences of ints, stored consecutively: sequence k is from starts[k] to starts[k + 1].
struct Lists {
  Buffer<std::int32_t> starts, elements;

  /// length(k) is the length of sequence k; element(k, j) is its element j.
  template <class Length, class Element>
  Lists(std::int64_t count, Length length, Element element)
      : starts(make_starts(count, length)), elements(starts[count]) {
    for (std::int64_t k = 0; k < count; ++k)
      for (std::int32_t j = 0; j < starts[k + 1] - starts[k]; ++j) elements[starts[k] + j] = element(k, j);
  }

 private:
  template <class Length>
  static Buffer<std::int32_t> make_starts(std::int64_t count, Length length) {
    Buffer<std::int32_t> starts(count + 1);
    for (std::int64_t k = 0; k < count; ++k) starts[k + 1] = starts[k] + std::int32_t(length(k));
    return starts;
  }
};

/// Sum of the products of elements and positions, modulo 2^32.
inline std::int32_t sum_by_place(const std::int32_t* elements, std::int64_t n) {
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += std::uint32_t(elements[i]) * std::uint32_t(i);
  return std::int32_t(sum);
}

}  // namespace program_peers
