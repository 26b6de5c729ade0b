#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cvl::mpi {

/// The numbers begin, begin + 1, …, end - 1, of elements or of segments.
struct Range {
  std::int64_t begin = 0, end = 0;

  std::int64_t size() const { return end - begin; }
  bool empty() const { return begin == end; }
  bool contains(Range other) const { return other.empty() || (begin <= other.begin && other.end <= end); }
  bool operator==(const Range&) const = default;
};

/// The numbers in both ranges.
inline Range intersection(Range a, Range b) {
  const std::int64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

/// Part `k` of `parts` parts of a range, whose sizes differ by at most one.
inline Range part_of(Range range, std::int64_t k, std::int64_t parts) {
  const auto at = [&](std::int64_t n) {
    return range.begin + static_cast<std::int64_t>(static_cast<__int128>(range.size()) * n / parts);
  };
  return {at(k), at(k + 1)};
}

/// A range for each rank.
using Ranges = std::vector<Range>;

/// The size of the longest range.
inline std::int64_t longest(const Ranges& ranges) {
  std::int64_t most = 0;
  for (const Range& range : ranges) most = std::max(most, range.size());
  return most;
}

/// Which rank holds which elements of a vector: a function of the vector's length alone. Vectors shorter than one block
/// are replicated. Longer ones are divided: every rank holds some consecutive blocks, the numbers of which differ by at
/// most one. The last block may be shorter.
class Distribution {
 public:
  Distribution(int ranks, std::int64_t block);

  int ranks() const { return ranks_; }
  std::int64_t block() const { return block_; }
  bool is_divided(std::int64_t length) const { return ranks_ > 1 && length >= block_; }

  /// The elements that a rank holds: of a replicated vector, all.
  Range part(std::int64_t length, int rank) const;
  Ranges parts(std::int64_t length) const;
  /// The rank that holds an element of a divided vector.
  int owner(std::int64_t length, std::int64_t element) const;

  /// Shares of work on a replicated vector, one for each rank, whose sizes differ by at most one.
  Ranges shares(std::int64_t length) const;

 private:
  int ranks_;
  std::int64_t block_;
};

/// Finds the rank, among consecutive ranges, that has a number. A few ranges are compared with it without branches,
/// which nothing would predict. Ranges are about as long as each other, so that of many a guess by the mean length is
/// right but for a few steps.
class RankFinder {
 public:
  /// `ranges` must outlive this object.
  explicit RankFinder(const Ranges& ranges)
      : ranges_(ranges),
        per_element_(static_cast<double>(ranges.size()) /
                     static_cast<double>(std::max<std::int64_t>(1, ranges.back().end))) {}

  /// `number` must be in one of the ranges.
  int operator()(std::int64_t number) const {
    constexpr std::size_t kFew = 8;
    if (ranges_.size() <= kFew) {
      int last = 0;  // that does not begin behind the number
      for (std::size_t r = 1; r < ranges_.size(); ++r) last += ranges_[r].begin <= number ? 1 : 0;
      return last;
    }
    auto r = static_cast<std::size_t>(static_cast<double>(number) * per_element_);
    r = std::min(r, ranges_.size() - 1);
    while (number < ranges_[r].begin) --r;
    while (number >= ranges_[r].end) ++r;
    return static_cast<int>(r);
  }

 private:
  const Ranges& ranges_;
  double per_element_;
};

}  // namespace cvl::mpi
