#pragma once

#include <cstdint>
#include <vector>

namespace cvl::cpu {

/// Sums of the hashes of places 0 to n - 1, with which the sum for the places written by a permutation is compared.
/// They depend on n only, so they are cached: 8 bytes for every kPlaceSumStep places up to the largest n so far.
class PlaceSums {
 public:
  /// The sum of the hashes of places [begin, end).
  using Sum = std::uint64_t(std::int64_t begin, std::int64_t end);

  std::uint64_t below(std::int64_t n, Sum& sum);

 private:
  std::vector<std::uint64_t> sums_{0};
};

}  // namespace cvl::cpu
