#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/check.h"
#include "exchange/position_set.h"

namespace cvl::mpi {

// The positions of a set within a range, in few bytes for a message: a bit for each number, or, if that is shorter,
// each position in 4 or 8 bytes.

/// Bytes of the code of the positions within a range; 0 if there are none.
std::size_t code_size(const PositionSet& positions, Range range);
/// Writes code_size(positions, range) bytes.
void encode(const PositionSet& positions, Range range, std::byte* code);

/// Begins a code that is not empty.
struct PositionHeader {
  enum class Form : std::int64_t { kBits, kShort, kLong };

  std::int64_t first = 0;  ///< number that the body counts from
  std::int64_t count_and_form = 0;

  PositionHeader() = default;
  PositionHeader(std::int64_t from, std::int64_t count, Form form)
      : first(from), count_and_form(count << 2 | static_cast<std::int64_t>(form)) {}
  std::int64_t count() const { return count_and_form >> 2; }
  Form form() const { return static_cast<Form>(count_and_form & 3); }
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
  const std::span<const std::byte> body = code.subspan(sizeof header);
  /// Calls use(k, entry) for each entry of the body.
  const auto for_each_entry = [&]<class P>(auto&& use) {
    for (std::size_t k = 0; k < body.size() / sizeof(P); ++k) {
      P entry;
      std::memcpy(&entry, body.data() + k * sizeof(P), sizeof entry);
      use(static_cast<std::int64_t>(k), entry);
    }
  };
  const auto put = [&](std::int64_t, auto distance) { f(header.first + static_cast<std::int64_t>(distance)); };
  switch (header.form()) {
    case PositionHeader::Form::kShort:
      return for_each_entry.template operator()<std::uint32_t>(put);
    case PositionHeader::Form::kLong:
      return for_each_entry.template operator()<std::int64_t>(put);
    case PositionHeader::Form::kBits:
      return for_each_entry.template operator()<std::uint64_t>([&](std::int64_t k, std::uint64_t word) {
        for (; word != 0; word &= word - 1) f(header.first + k * PositionSet::kWord + std::countr_zero(word));
      });
  }
}

}  // namespace cvl::mpi
