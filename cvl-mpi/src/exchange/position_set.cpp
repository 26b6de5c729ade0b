#include "exchange/position_set.h"

#include <algorithm>

namespace cvl::mpi {

namespace {

/// As std::popcount, which calls a function on processors that need not have an instruction for it. Counts in pairs, in
/// fours, in bytes, and adds up the bytes.
std::int64_t bits_set(std::uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555u;
  bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
  bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
  return static_cast<std::int64_t>(bits * 0x0101010101010101u >> 56);
}

/// The low `count` bits; all if there are fewer.
std::uint64_t low_bits(std::int64_t count) {
  if (count <= 0) return 0;
  return count >= PositionSet::kWord ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

}  // namespace

PositionSet::PositionSet(std::span<const std::int64_t> positions, std::int64_t end) {
  Range range{0, end};
  if (end / kWord >= std::ssize(positions)) {
    // As unsigned numbers, negative ones are no minimum.
    std::uint64_t least = ~std::uint64_t{0};
    std::int64_t most = -1;
    for (const std::int64_t position : positions) {
      least = std::min(least, static_cast<std::uint64_t>(position));
      most = std::max(most, position);
    }
    if (most < 0) return;
    range = {static_cast<std::int64_t>(least), most + 1};
  }
  if (range.empty()) return;
  first_word_ = range.begin / kWord;
  const std::int64_t words = (range.end - 1) / kWord - first_word_ + 1;
  if (words > std::ssize(positions)) {
    sorted_.reserve(positions.size());
    std::ranges::copy_if(positions, std::back_inserter(sorted_), [](std::int64_t position) { return position >= 0; });
    std::ranges::sort(sorted_);
    sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
    size_ = std::ssize(sorted_);
    return;
  }
  words_.resize(static_cast<std::size_t>(words));
  for (const std::int64_t position : positions)
    if (position >= 0) {
      const auto bit = static_cast<std::uint64_t>(position);
      words_[bit / kWord - static_cast<std::uint64_t>(first_word_)].bits |= std::uint64_t{1} << bit % kWord;
    }
  for (Word& word : words_) {
    word.before = size_;
    size_ += bits_set(word.bits);
  }
  is_dense_ = size_ > 0 && hull({0, end}).size() / 4 <= size_;
}

std::int64_t PositionSet::count_below(std::int64_t number) const {
  if (!has_bits()) return std::ranges::lower_bound(sorted_, number) - sorted_.begin();
  const std::int64_t word = number / kWord - first_word_;
  if (number <= 0 || word < 0) return 0;
  if (word >= std::ssize(words_)) return size_;
  const Word& at = words_[static_cast<std::size_t>(word)];
  return at.before + bits_set(at.bits & low_bits(number % kWord));
}

Range PositionSet::hull(Range range) const {
  if (!has_bits())
    return {sorted_[static_cast<std::size_t>(count_below(range.begin))],
            sorted_[static_cast<std::size_t>(count_below(range.end) - 1)] + 1};
  Range words = words_of(range);
  while (bits(words.begin, range) == 0) ++words.begin;
  while (bits(words.end - 1, range) == 0) --words.end;
  return {words.begin * kWord + std::countr_zero(bits(words.begin, range)),
          words.end * kWord - std::countl_zero(bits(words.end - 1, range))};
}

Range PositionSet::words_of(Range range) const {
  const Range all{first_word_, first_word_ + std::ssize(words_)};
  return range.empty() ? Range{} : intersection(all, {range.begin / kWord, (range.end - 1) / kWord + 1});
}

std::uint64_t PositionSet::bits(std::int64_t word, Range range) const {
  const std::int64_t first = word * kWord;
  return words_[static_cast<std::size_t>(word - first_word_)].bits & low_bits(range.end - first) &
         ~low_bits(range.begin - first);
}

std::int64_t PositionSet::bound(Range range, std::int64_t k, std::int64_t parts) const {
  if (k == 0) return range.begin;
  if (k == parts) return range.end;
  const std::int64_t wanted = count_below(range.begin) + part_of({0, count(range)}, k, parts).begin;
  std::int64_t at = range.end;
  if (!has_bits()) {
    if (wanted < size_) at = sorted_[static_cast<std::size_t>(wanted)];
  } else {
    // The last word that does not have more positions before it.
    const auto next = std::ranges::upper_bound(words_, wanted, {}, &Word::before);
    at = (first_word_ + (next - words_.begin()) - 1) * kWord;
  }
  return std::clamp(at, range.begin, range.end);
}

}  // namespace cvl::mpi
