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

/// As std::popcount, which calls a function on processors that need not have an instruction for it. Counts in pairs, in
/// fours, in bytes, and adds up the bytes.
std::int64_t bits_set(std::uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555u;
  bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
  bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
  return static_cast<std::int64_t>(bits * 0x0101010101010101u >> 56);
}

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
  words_.resize(static_cast<std::size_t>(words));
  for (const std::int64_t position : positions)
    if (position >= 0)
      words_[static_cast<std::size_t>((position - first_) / kWord)].bits |= std::uint64_t{1}
                                                                            << (position - first_) % kWord;
  std::int64_t count = 0;
  for (Word& word : words_) {
    word.before = count;
    count += bits_set(word.bits);
  }
  sorted_.reserve(static_cast<std::size_t>(count));
  for (std::size_t w = 0; w < words_.size(); ++w)
    for (std::uint64_t bits = words_[w].bits; bits != 0; bits &= bits - 1)
      sorted_.push_back(first_ + static_cast<std::int64_t>(w) * kWord + std::countr_zero(bits));
}

std::int64_t PositionSet::number(std::int64_t position) const {
  if (words_.empty()) {
    const auto found = std::ranges::lower_bound(sorted_, position);
    VC_CHECK(found != sorted_.end() && *found == position);
    return found - sorted_.begin();
  }
  const Word& word = words_[static_cast<std::size_t>((position - first_) / kWord)];
  const std::uint64_t below = (std::uint64_t{1} << (position - first_) % kWord) - 1;
  return word.before + bits_set(word.bits & below);
}

}  // namespace cvl::mpi
