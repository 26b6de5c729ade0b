#include "exchange/position_code.h"

#include <limits>

namespace cvl::mpi {

namespace {

using Form = PositionHeader::Form;

/// The shortest code of some positions.
struct Shortest {
  PositionHeader header;
  std::size_t bytes = 0;  ///< behind the header
};

/// There must be positions within the range.
Shortest shortest(const PositionSet& positions, Range range) {
  const std::int64_t count = positions.count(range);
  const Range hull = positions.hull(range);
  const bool is_short = hull.size() - 1 <= std::numeric_limits<std::uint32_t>::max();
  const std::size_t of_list =
      static_cast<std::size_t>(count) * (is_short ? sizeof(std::uint32_t) : sizeof(std::int64_t));
  const std::size_t of_bits =
      static_cast<std::size_t>((hull.size() - 1) / PositionSet::kWord + 1) * sizeof(std::uint64_t);
  if (positions.has_bits() && of_bits < of_list) return {{hull.begin, count, Form::kBits}, of_bits};
  return {{hull.begin, count, is_short ? Form::kShort : Form::kLong}, of_list};
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
  const auto put = [&](auto entry) {
    std::memcpy(to, &entry, sizeof entry);
    to += sizeof entry;
  };
  switch (form.header.form()) {
    case Form::kShort:
      return positions.for_each(
          range, [&](std::int64_t position) { put(static_cast<std::uint32_t>(position - form.header.first)); });
    case Form::kLong:
      return positions.for_each(range, [&](std::int64_t position) { put(position - form.header.first); });
    case Form::kBits: {
      const Range words = positions.words_of(range);
      const std::int64_t first = form.header.first / PositionSet::kWord, shift = form.header.first % PositionSet::kWord;
      const auto bits = [&](std::int64_t w) { return w < words.end ? positions.bits(w, range) : 0; };
      const auto count = static_cast<std::int64_t>(form.bytes / sizeof(std::uint64_t));
      for (std::int64_t w = first; w < first + count; ++w)
        put(shift == 0 ? bits(w) : bits(w) >> shift | bits(w + 1) << (PositionSet::kWord - shift));
    }
  }
}

}  // namespace cvl::mpi
