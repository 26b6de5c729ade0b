#pragma once

#include <cstdint>

namespace program_peers {

/// The generators of data.nesl, bit for bit.
constexpr std::int32_t scramble(std::int32_t i) {
  const auto folded = [](std::uint32_t x) { return x ^ (x >> 16); };
  return std::int32_t(folded(folded(folded(std::uint32_t(i)) * 73244475u) * 73244475u));
}

/// Number i of a sequence of ints from 0 to m - 1.
constexpr std::int32_t below(std::int32_t m, std::int64_t i) { return (scramble(std::int32_t(i)) & 0x7fffffff) % m; }

/// Number i of a sequence of floats in [0, 1).
constexpr double unit(std::int64_t i) { return double(scramble(std::int32_t(i)) & 0xffffff) / 16777216.0; }

}  // namespace program_peers
