#pragma once

#include <cstdint>
#include <vector>

namespace cvl::cpu {

/// Cached sums of the hashes of targets 0 to n - 1. A permutation is checked by comparing such a sum with the sum for
/// the targets it wrote. The sums depend on n only; they take 8 bytes for every kPositionSumStep targets up to the
/// largest n so far.
class PositionSums {
 public:
  /// The sum of the hashes of targets [begin, end).
  using Sum = std::uint64_t(std::int64_t begin, std::int64_t end);

  std::uint64_t below(std::int64_t n, Sum& sum);

 private:
  std::vector<std::uint64_t> sums_{0};
};

}  // namespace cvl::cpu
