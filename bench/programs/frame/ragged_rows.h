#pragma once

#include <cstdint>
#include <span>

#include "huge_buffer.h"

namespace program_peers {

/// Rows of differing lengths, stored consecutively: row k is from starts[k] to starts[k + 1].
template <class T>
struct RaggedRows {
  Buffer<std::int32_t> starts;
  Buffer<T> elements;

  /// length(k) is the length of row k; element(k, j) is its element j.
  template <class Length, class Element>
  RaggedRows(std::int64_t count, Length length, Element element)
      : starts(make_starts(count, length)), elements(starts[count]) {
    for (std::int64_t k = 0; k < count; ++k)
      for (std::int32_t j = 0; j < starts[k + 1] - starts[k]; ++j) elements[starts[k] + j] = element(k, j);
  }

  std::int64_t count() const { return starts.size() - 1; }
  std::span<const T> operator[](std::int64_t k) const {
    return {elements.data() + starts[k], elements.data() + starts[k + 1]};
  }

 private:
  template <class Length>
  static Buffer<std::int32_t> make_starts(std::int64_t count, Length length) {
    Buffer<std::int32_t> starts(count + 1);
    for (std::int64_t k = 0; k < count; ++k) starts[k + 1] = starts[k] + std::int32_t(length(k));
    return starts;
  }
};

}  // namespace program_peers
