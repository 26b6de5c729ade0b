#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace program_peers {

/// Moves the keys for which `keep` holds to the front and returns their number. Every key is written, so that no branch
/// has to be predicted.
template <class Keep>
std::int64_t keep_in_front(std::int32_t* keys, std::int64_t n, Keep keep) {
  std::int64_t kept = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int32_t key = keys[i];
    keys[i] = keys[kept];
    keys[kept] = key;
    kept += keep(key);
  }
  return kept;
}

/// Quicksort in place around the median of three keys, with insertion sort of short ranges. A range of more than
/// `alone` keys is split by `both`, which runs two functions, concurrently if threads are free.
template <class Both>
void quicksort_in_place(std::int32_t* keys, std::int64_t n, std::int64_t alone, Both& both) {
  constexpr std::int64_t kShort = 16;
  while (n > kShort) {
    const std::int32_t a = keys[0], b = keys[n / 2], c = keys[n - 1];
    const std::int32_t pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
    const std::int64_t less = keep_in_front(keys, n, [pivot](std::int32_t key) { return key < pivot; });
    // Keys that equal the pivot are in order. Usually there are few of them.
    std::int32_t* const others = keys + less;
    const std::int64_t equal = keep_in_front(others, n - less, [pivot](std::int32_t key) { return key == pivot; });
    std::int32_t* const upper = others + equal;
    const std::int64_t upper_size = n - less - equal;
    if (n > alone) {
      both([&] { quicksort_in_place(keys, less, alone, both); },
           [&] { quicksort_in_place(upper, upper_size, alone, both); });
      return;
    }
    // Recursion on the shorter part bounds the depth of the stack.
    if (less < upper_size) {
      quicksort_in_place(keys, less, alone, both);
      keys = upper, n = upper_size;
    } else {
      quicksort_in_place(upper, upper_size, alone, both);
      n = less;
    }
  }
  for (std::int64_t i = 1; i < n; ++i) {
    const std::int32_t key = keys[i];
    std::int64_t j = i;
    for (; j > 0 && keys[j - 1] > key; --j) keys[j] = keys[j - 1];
    keys[j] = key;
  }
}

/// Sum of the products of keys and positions, modulo 2^32.
inline std::int32_t checksum(const std::int32_t* keys, std::int64_t n) {
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += std::uint32_t(keys[i]) * std::uint32_t(i);
  return std::int32_t(sum);
}

}  // namespace program_peers
