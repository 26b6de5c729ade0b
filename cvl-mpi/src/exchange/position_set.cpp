#include "exchange/position_set.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/check.h"

namespace cvl::mpi {

namespace {

constexpr std::int64_t kWord = 64;
/// A bitmap is made if it has at most so many words for each position.
constexpr std::int64_t kWordsPerPosition = 1;

}  // namespace

PositionSet::PositionSet(std::span<const std::int64_t> positions) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = -1;
  for (const std::int64_t position : positions) {
    if (position < 0) continue;
    least = std::min(least, position);
    most = std::max(most, position);
  }
  if (most < 0) return;
  const std::int64_t words = (most - least) / kWord + 1;
  if (words > kWordsPerPosition * std::ssize(positions)) {
    sorted_.reserve(positions.size());
    std::ranges::copy_if(positions, std::back_inserter(sorted_), [](std::int64_t position) { return position >= 0; });
    std::ranges::sort(sorted_);
    sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
    return;
  }
  first_ = least;
  bits_.resize(static_cast<std::size_t>(words));
  for (const std::int64_t position : positions)
    if (position >= 0)
      bits_[static_cast<std::size_t>((position - first_) / kWord)] |= std::uint64_t{1} << (position - first_) % kWord;
  before_.reserve(bits_.size());
  std::int64_t count = 0;
  for (const std::uint64_t word : bits_) {
    before_.push_back(count);
    count += std::popcount(word);
  }
  sorted_.reserve(static_cast<std::size_t>(count));
  for (std::size_t w = 0; w < bits_.size(); ++w)
    for (std::uint64_t word = bits_[w]; word != 0; word &= word - 1)
      sorted_.push_back(first_ + static_cast<std::int64_t>(w) * kWord + std::countr_zero(word));
}

std::int64_t PositionSet::number(std::int64_t position) const {
  if (bits_.empty()) {
    const auto found = std::ranges::lower_bound(sorted_, position);
    VC_CHECK(found != sorted_.end() && *found == position);
    return found - sorted_.begin();
  }
  const auto word = static_cast<std::size_t>((position - first_) / kWord);
  const std::uint64_t below = (std::uint64_t{1} << (position - first_) % kWord) - 1;
  return before_[word] + std::popcount(bits_[word] & below);
}

}  // namespace cvl::mpi
