#pragma once

#include <array>
#include <cstdint>

#include "vcode/arith.h"
#include "vcode/random_key.h"

namespace vcode {

/// Philox4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random numbers:
/// as easy as 1, 2, 3" (SC 2011): four random words for a counter, without state. Multipliers and key increments are
/// those of the paper.
VC_HD constexpr std::array<std::uint32_t, 4> philox4x32(RandomKey key, std::uint64_t counter) {
  std::uint32_t c0 = std::uint32_t(counter), c1 = std::uint32_t(counter >> 32);
  std::uint32_t c2 = std::uint32_t(key.call), c3 = std::uint32_t(key.call >> 32);
  std::uint32_t k0 = std::uint32_t(key.seed), k1 = std::uint32_t(key.seed >> 32);
  for (int round = 0; round < 10; ++round) {
    std::uint64_t p0 = std::uint64_t(0xD2511F53u) * c0;
    std::uint64_t p1 = std::uint64_t(0xCD9E8D57u) * c2;
    std::uint32_t n0 = std::uint32_t(p1 >> 32) ^ c1 ^ k0;
    std::uint32_t n2 = std::uint32_t(p0 >> 32) ^ c3 ^ k1;
    c1 = std::uint32_t(p1);
    c3 = std::uint32_t(p0);
    c0 = n0;
    c2 = n2;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {c0, c1, c2, c3};
}

/// A random number in [0, |bound|) from a random word of the same width: the high half of their product, as in Lemire,
/// "Fast random integer generation in an interval" (2019), without the rejection step, so that the probability of a
/// number is off by up to 2^-width. 0 for bound 0, which is a fault (FaultKind::kRandomBound).
VC_HD constexpr std::int32_t bounded_random(std::int32_t bound, std::uint32_t word) {
  std::uint32_t size = bound < 0 ? 0u - std::uint32_t(bound) : std::uint32_t(bound);
  return std::int32_t((std::uint64_t(size) * word) >> 32);
}
VC_HD constexpr std::int64_t bounded_random(std::int64_t bound, std::uint64_t word) {
  std::uint64_t size = bound < 0 ? 0u - std::uint64_t(bound) : std::uint64_t(bound);
  // The high half of the 128-bit product, in 32-bit steps, which every compiler and device supports.
  std::uint64_t lo = (size & 0xFFFFFFFFu) * (word & 0xFFFFFFFFu);
  std::uint64_t mid1 = (size >> 32) * (word & 0xFFFFFFFFu) + (lo >> 32);
  std::uint64_t mid2 = (size & 0xFFFFFFFFu) * (word >> 32) + (mid1 & 0xFFFFFFFFu);
  return std::int64_t((size >> 32) * (word >> 32) + (mid1 >> 32) + (mid2 >> 32));
}

/// Elements that share a counter: four of 32 bits, or two of 64.
template <class I>
inline constexpr std::uint64_t kElementsOfCounter = 16 / sizeof(I);

/// The number that RAND draws for element `index` from the words of its counter, index / kElementsOfCounter<I>.
template <class I>
VC_HD constexpr I random_element(const std::array<std::uint32_t, 4>& words, std::uint64_t index, I bound) {
  if constexpr (sizeof(I) == 4) {
    return bounded_random(bound, words[index % 4]);
  } else {
    std::uint64_t lo = words[index % 2 * 2], hi = words[index % 2 * 2 + 1];
    return bounded_random(bound, lo | hi << 32);
  }
}
/// The number that RAND draws for element `index`.
template <class I>
VC_HD constexpr I random_element(RandomKey key, std::uint64_t index, I bound) {
  return random_element(philox4x32(key, index / kElementsOfCounter<I>), index, bound);
}

}  // namespace vcode
