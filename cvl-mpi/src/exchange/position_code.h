#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/check.h"
#include "exchange/position_set.h"

namespace cvl::mpi {

// The positions of a set within a range, in few bytes for a message: a bit for each number, or, if that is shorter, the
// distances between positions, in LEB128: groups of seven bits, the lowest first, with a bit that says whether one more
// group follows.

/// Bytes of the code of the positions within a range; 0 if there are none.
std::size_t code_size(const PositionSet& positions, Range range);
/// Writes code_size(positions, range) bytes.
void encode(const PositionSet& positions, Range range, std::byte* code);

/// Begins a code that is not empty.
struct PositionHeader {
  std::int64_t first = 0;           ///< the first position
  std::int64_t count_and_form = 0;  ///< twice the number of positions, plus one if the body has bits

  PositionHeader() = default;
  PositionHeader(std::int64_t from, std::int64_t count, bool has_bits)
      : first(from), count_and_form(count << 1 | (has_bits ? 1 : 0)) {}
  std::int64_t count() const { return count_and_form >> 1; }
  bool has_bits() const { return (count_and_form & 1) != 0; }
};

/// The header of a code, which need not be aligned.
inline PositionHeader header_of(std::span<const std::byte> code) {
  PositionHeader header;
  if (code.empty()) return header;
  VC_CHECK(code.size() > sizeof header);
  std::memcpy(&header, code.data(), sizeof header);
  return header;
}

/// Calls f(position) for each position of a code, ascending.
template <class F>
void for_each_position(std::span<const std::byte> code, F&& f) {
  if (code.empty()) return;
  const PositionHeader header = header_of(code);
  const std::byte* next = code.data() + sizeof header;
  if (!header.has_bits()) {
    std::uint64_t position = static_cast<std::uint64_t>(header.first);
    for (std::int64_t k = header.count(); k > 0; --k) {
      std::uint64_t distance = 0;
      int shift = 0;
      for (; (*next & std::byte{0x80}) != std::byte{0}; shift += 7)
        distance |= std::to_integer<std::uint64_t>(*next++ & std::byte{0x7F}) << shift;
      position += distance | std::to_integer<std::uint64_t>(*next++) << shift;
      f(static_cast<std::int64_t>(position));
    }
    return;
  }
  for (std::int64_t first = header.first; next != code.data() + code.size(); first += PositionSet::kWord) {
    std::uint64_t word;
    std::memcpy(&word, next, sizeof word);
    next += sizeof word;
    for (; word != 0; word &= word - 1) f(first + std::countr_zero(word));
  }
}

}  // namespace cvl::mpi
