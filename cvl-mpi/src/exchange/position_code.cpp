#include "exchange/position_code.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/check.h"

namespace cvl::mpi {

namespace {

constexpr std::int64_t kWord = 64;

enum class Form : std::int64_t { kBits, kShort, kLong };

/// Begins a code that is not empty.
struct Header {
  std::int64_t first = 0;  ///< position, from which the code counts
  Form form = Form::kBits;
};

struct Size {
  Form form;
  std::size_t bytes;  ///< behind the header
};

/// The shortest form. `positions` must not be empty.
Size shortest(std::span<const std::int64_t> positions) {
  const std::int64_t span = positions.back() - positions.front();
  const Form list = span <= std::numeric_limits<std::uint32_t>::max() ? Form::kShort : Form::kLong;
  const std::size_t of_list = positions.size() * (list == Form::kShort ? sizeof(std::uint32_t) : sizeof(std::int64_t));
  const std::size_t of_bits = static_cast<std::size_t>(span / kWord + 1) * sizeof(std::uint64_t);
  return of_bits < of_list ? Size{Form::kBits, of_bits} : Size{list, of_list};
}

}  // namespace

std::size_t code_size(std::span<const std::int64_t> positions) {
  return positions.empty() ? 0 : sizeof(Header) + shortest(positions).bytes;
}

void encode(std::span<const std::int64_t> positions, std::byte* code) {
  if (positions.empty()) return;
  const Header header{positions.front(), shortest(positions).form};
  std::memcpy(code, &header, sizeof header);
  std::byte* const body = code + sizeof header;
  const auto write_list = [&]<class P>() {
    std::byte* to = body;
    for (const std::int64_t position : positions) {
      const auto distance = static_cast<P>(position - header.first);
      std::memcpy(to, &distance, sizeof distance);
      to += sizeof distance;
    }
  };
  switch (header.form) {
    case Form::kShort:
      return write_list.template operator()<std::uint32_t>();
    case Form::kLong:
      return write_list.template operator()<std::int64_t>();
    case Form::kBits:
      break;
  }
  std::int64_t at = 0;  // the word that is being filled
  std::uint64_t word = 0;
  const auto put_word = [&] { std::memcpy(body + static_cast<std::size_t>(at) * sizeof word, &word, sizeof word); };
  for (const std::int64_t position : positions) {
    const std::int64_t distance = position - header.first;
    for (; at < distance / kWord; ++at) {
      put_word();
      word = 0;
    }
    word |= std::uint64_t{1} << distance % kWord;
  }
  put_word();
}

void decode(std::span<const std::byte> code, std::vector<std::int64_t>& positions) {
  if (code.empty()) return;
  Header header;
  VC_CHECK(code.size() > sizeof header);
  std::memcpy(&header, code.data(), sizeof header);
  const std::span<const std::byte> body = code.subspan(sizeof header);
  /// Calls use(k, entry) for each entry of the body.
  const auto for_each_entry = [&]<class P>(auto&& use) {
    for (std::size_t k = 0; k < body.size() / sizeof(P); ++k) {
      P entry;
      std::memcpy(&entry, body.data() + k * sizeof(P), sizeof entry);
      use(static_cast<std::int64_t>(k), entry);
    }
  };
  const auto put = [&](std::int64_t, auto distance) {
    positions.push_back(header.first + static_cast<std::int64_t>(distance));
  };
  switch (header.form) {
    case Form::kShort:
      return for_each_entry.template operator()<std::uint32_t>(put);
    case Form::kLong:
      return for_each_entry.template operator()<std::int64_t>(put);
    case Form::kBits:
      return for_each_entry.template operator()<std::uint64_t>([&](std::int64_t k, std::uint64_t word) {
        for (; word != 0; word &= word - 1) positions.push_back(header.first + k * kWord + std::countr_zero(word));
      });
  }
}

}  // namespace cvl::mpi
