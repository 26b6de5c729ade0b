#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace cvl::mpi {

/// A number whose order is that of RANK: FLOATs that are no numbers come behind all others and are equal, as are zeros
/// of both signs.
template <class T>
auto sort_key(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
    if (x != x) return std::numeric_limits<Bits>::max();
    const Bits bits = x == 0 ? 0 : std::bit_cast<Bits>(x);
    return (bits & kSign) != 0 ? Bits(~bits) : Bits(bits | kSign);
  } else {
    using Bits = std::make_unsigned_t<T>;
    return Bits(static_cast<Bits>(x) ^ (Bits{1} << (8 * sizeof(Bits) - 1)));
  }
}

/// Sorts elements in the order of RANK; equal ones keep their order. `to` and `other` have room for as many. Returns
/// which of both has the sorted elements. A pass for each byte in which they differ.
template <class T>
const T* radix_sort(const T* elements, T* to, T* other, std::int64_t count, bool descending) {
  constexpr int kDigits = sizeof(T);
  std::array<std::array<std::int64_t, 256>, kDigits> places{};
  const auto key_of = [descending](T x) {
    const auto key = sort_key(x);
    return descending ? static_cast<decltype(key)>(~key) : key;
  };
  const auto digit = [](auto key, int k) { return static_cast<std::size_t>(key >> (8 * k) & 0xFF); };
  for (std::int64_t j = 0; j < count; ++j) {
    const auto key = key_of(elements[j]);
    for (int k = 0; k < kDigits; ++k) ++places[static_cast<std::size_t>(k)][digit(key, k)];
  }
  const T* from = elements;
  for (int k = 0; k < kDigits; ++k) {
    auto& next = places[static_cast<std::size_t>(k)];
    if (std::ranges::count(next, count) > 0) continue;
    std::int64_t begin = 0;
    for (std::int64_t& of_digit : next) begin += std::exchange(of_digit, begin);
    for (std::int64_t j = 0; j < count; ++j) to[next[digit(key_of(from[j]), k)]++] = from[j];
    from = std::exchange(to, from == elements ? other : const_cast<T*>(from));
  }
  if (from == elements) from = std::copy_n(elements, count, to) - count;
  return from;
}

}  // namespace cvl::mpi
