#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cvl::mpi {

/// A set of positions in a vector, numbered in ascending order: indices without duplicates, for bulk exchange.
class PositionSet {
 public:
  /// The set of these positions; negative ones are left out. O(m log m) for m positions, or O(m + range) if their range is
  /// not much longer than their number.
  explicit PositionSet(std::span<const std::int64_t> positions);

  std::int64_t size() const { return static_cast<std::int64_t>(sorted_.size()); }
  /// The positions, ascending.
  const std::vector<std::int64_t>& sorted() const { return sorted_; }
  /// The number of a position that is in the set.
  std::int64_t number(std::int64_t position) const;

 private:
  std::vector<std::int64_t> sorted_;
  /// If the range of the positions is short: a bit for each number in the range, and the bits set before each word.
  std::int64_t first_ = 0;
  std::vector<std::uint64_t> bits_;
  std::vector<std::int64_t> before_;
};

}  // namespace cvl::mpi
