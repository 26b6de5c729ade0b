#include "exchange/position_code.h"

#include <algorithm>

namespace cvl::mpi {

namespace {

/// Calls f(distance) for each position within a range: its distance from the one before, 0 for the first one.
template <class F>
void for_each_distance(const PositionSet& positions, Range range, std::int64_t first, F&& f) {
  positions.for_each(range, [&, before = first](std::int64_t position) mutable {
    f(static_cast<std::uint64_t>(position - before));
    before = position;
  });
}

/// The shortest code of some positions.
struct Shortest {
  PositionHeader header;
  std::size_t bytes = 0;  ///< behind the header
};

/// There must be positions within the range.
Shortest shortest(const PositionSet& positions, Range range) {
  const auto count = static_cast<std::size_t>(positions.count(range));
  const Range hull = positions.hull(range);
  const std::size_t of_bits =
      static_cast<std::size_t>((hull.size() - 1) / PositionSet::kWord + 1) * sizeof(std::uint64_t);
  // A distance takes a byte at least.
  std::size_t of_distances = count;
  if (!positions.has_bits() || count < of_bits)
    for_each_distance(positions, range, hull.begin, [&](std::uint64_t distance) {
      of_distances += static_cast<std::size_t>((std::max(1, static_cast<int>(std::bit_width(distance))) - 1) / 7);
    });
  const bool has_bits = positions.has_bits() && of_bits <= of_distances;
  return {{hull.begin, static_cast<std::int64_t>(count), has_bits}, has_bits ? of_bits : of_distances};
}

}  // namespace

std::size_t code_size(const PositionSet& positions, Range range) {
  return positions.count(range) == 0 ? 0 : sizeof(PositionHeader) + shortest(positions, range).bytes;
}

void encode(const PositionSet& positions, Range range, std::byte* code) {
  if (positions.count(range) == 0) return;
  const Shortest form = shortest(positions, range);
  std::memcpy(code, &form.header, sizeof form.header);
  std::byte* to = code + sizeof form.header;
  if (!form.header.has_bits())
    return for_each_distance(positions, range, form.header.first, [&](std::uint64_t distance) {
      for (; distance > 0x7F; distance >>= 7) *to++ = std::byte(distance & 0x7F) | std::byte{0x80};
      *to++ = std::byte(distance);
    });
  const Range words = positions.words_of(range);
  const std::int64_t first = form.header.first / PositionSet::kWord, shift = form.header.first % PositionSet::kWord;
  const auto bits = [&](std::int64_t w) { return w < words.end ? positions.bits(w, range) : 0; };
  const auto count = static_cast<std::int64_t>(form.bytes / sizeof(std::uint64_t));
  for (std::int64_t w = first; w < first + count; ++w, to += sizeof(std::uint64_t)) {
    const std::uint64_t word = shift == 0 ? bits(w) : bits(w) >> shift | bits(w + 1) << (PositionSet::kWord - shift);
    std::memcpy(to, &word, sizeof word);
  }
}

}  // namespace cvl::mpi
