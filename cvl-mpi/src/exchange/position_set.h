#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "layout/distribution.h"

namespace cvl::mpi {

/// A set of positions in a vector, numbered in ascending order: indices without duplicates, for bulk exchange. A bit
/// for each number between the least and the greatest position, or a sorted list where the positions lie far apart.
class PositionSet {
 public:
  static constexpr std::int64_t kWord = 64;

  /// The set of these positions, which are less than `end`; negative ones are left out. O(m log m) for m positions, or
  /// O(m + range) if their range is not much longer than their number.
  PositionSet(std::span<const std::int64_t> positions, std::int64_t end);

  std::int64_t size() const { return size_; }
  /// How many positions are less than a number: for a position in the set, its own number.
  std::int64_t count_below(std::int64_t number) const;
  std::int64_t count(Range range) const { return count_below(range.end) - count_below(range.begin); }
  /// The shortest range with all positions within a range, which must have some.
  Range hull(Range range) const;
  /// Calls f(position) for each position within a range, ascending.
  template <class F>
  void for_each(Range range, F&& f) const;
  /// Divides the positions within a range into `parts` consecutive parts, whose counts differ by at most 64.
  Range part(Range range, std::int64_t k, std::int64_t parts) const {
    return {bound(range, k, parts), bound(range, k + 1, parts)};
  }
  /// Whether the set has at least one of four numbers between its least and its greatest one.
  bool is_dense() const { return is_dense_; }

  /// Whether bits() can be used.
  bool has_bits() const { return !words_.empty(); }
  /// The words with bits for the numbers of a range, as numbers divided by 64.
  Range words_of(Range range) const;
  /// Bits for the numbers 64 * word, 64 * word + 1, … that lie within a range.
  std::uint64_t bits(std::int64_t word, Range range) const;

 private:
  struct Word {
    std::uint64_t bits = 0;
    std::int64_t before = 0;  ///< bits set in earlier words
  };

  std::int64_t bound(Range range, std::int64_t k, std::int64_t parts) const;

  std::int64_t size_ = 0;
  bool is_dense_ = false;
  std::vector<std::int64_t> sorted_;
  std::int64_t first_word_ = 0;
  std::vector<Word> words_;
};

template <class F>
void PositionSet::for_each(Range range, F&& f) const {
  if (has_bits()) {
    const Range words = words_of(range);
    for (std::int64_t w = words.begin; w < words.end; ++w)
      for (std::uint64_t rest = bits(w, range); rest != 0; rest &= rest - 1) f(w * kWord + std::countr_zero(rest));
    return;
  }
  for (std::int64_t k = count_below(range.begin); k < size_ && sorted_[static_cast<std::size_t>(k)] < range.end; ++k)
    f(sorted_[static_cast<std::size_t>(k)]);
}

}  // namespace cvl::mpi
