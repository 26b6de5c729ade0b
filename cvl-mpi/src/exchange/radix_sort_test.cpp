#include "exchange/radix_sort.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace cvl::mpi {
namespace {

/// Elements of all bytes, with some that are equal.
template <class T>
std::vector<T> some_elements() {
  std::vector<T> elements;
  std::uint64_t state = 1;
  for (int k = 0; k < 5000; ++k) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    T x;
    std::memcpy(&x, reinterpret_cast<const char*>(&state) + 8 - sizeof x, sizeof x);
    elements.push_back(k % 7 == 0 ? T(k % 5) : k % 11 == 0 ? -T(k % 3) : x);
  }
  if constexpr (std::is_floating_point_v<T>)
    for (const double x : {-0.0, 0.0, 1.0 / 0.0, -1.0 / 0.0}) elements.push_back(static_cast<T>(x));
  return elements;
}

template <class T>
void expect_sorted(const std::vector<T>& given) {
  for (const bool descending : {false, true}) {
    const auto less = [descending](T x, T y) {
      if (descending) std::swap(x, y);
      return y != y ? x == x : x < y;
    };
    std::vector<T> expected = given, to(given.size()), other(given.size());
    std::stable_sort(expected.begin(), expected.end(), less);
    const T* const sorted = radix_sort(given.data(), to.data(), other.data(), std::ssize(given), descending);
    // The same bytes: equal elements keep their order.
    if (!given.empty()) {
      EXPECT_EQ(std::memcmp(sorted, expected.data(), sizeof(T) * expected.size()), 0);
    }
  }
}

TEST(RadixSort, KeepsTheOrderOfRank) {
  expect_sorted(some_elements<std::int32_t>());
  expect_sorted(some_elements<std::int64_t>());
  expect_sorted(some_elements<float>());
  expect_sorted(some_elements<double>());
  expect_sorted<std::int64_t>({});
  expect_sorted<std::int32_t>({7, 7, 7});
  expect_sorted<std::int64_t>({300, -1, 2, 300});
}

}  // namespace
}  // namespace cvl::mpi
