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

/// A range for each rank.
using Ranges = std::vector<Range>;

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

/// The rank among consecutive ranges that has a number, which must be in one of them.
int find_rank(const Ranges& ranges, std::int64_t number);

}  // namespace cvl::mpi
