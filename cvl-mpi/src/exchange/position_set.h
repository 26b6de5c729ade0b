#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cvl::mpi {

/// A set of positions in a vector, numbered in ascending order: indices without duplicates, for bulk exchange.
class PositionSet {
 public:
  /// The set of these positions; negative ones are left out. O(m log m) for m positions, or O(m + range) if their range
  /// is not much longer than their number.
  explicit PositionSet(std::span<const std::int64_t> positions);

  std::int64_t size() const { return static_cast<std::int64_t>(sorted_.size()); }
  /// The positions, ascending.
  const std::vector<std::int64_t>& sorted() const { return sorted_; }
  /// The number of a position that is in the set.
  std::int64_t number(std::int64_t position) const;
  /// Whether the set has at least one of eight numbers between its least and its greatest one.
  bool is_dense() const { return !sorted_.empty() && (sorted_.back() - sorted_.front()) / 8 < size(); }

 private:
  std::vector<std::int64_t> sorted_;
  /// If the range of the positions is short: a bit for each of 64 numbers, and the number of bits set before.
  struct Word {
    std::uint64_t bits = 0;
    std::int64_t before = 0;
  };
  std::int64_t first_ = 0;
  std::vector<Word> words_;
};

}  // namespace cvl::mpi
