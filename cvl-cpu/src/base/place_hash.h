#pragma once

#include <cstdint>

namespace cvl::cpu {

/// The hash of a place of 32 bits is the square of x ^ x >> kPlaceShift, where x = (place + kPlaceStep) * kPlaceFactor
/// in 32 bits, such that different multisets of places have different sums of hashes. The first steps are a bijection:
/// the factor is that of Fibonacci hashing for 32 bits (Knuth, "The Art of Computer Programming", volume 3,
/// section 6.4), the step the lower half of the 64-bit one. The square is not linear, unlike sums of places. A single
/// place written twice always changes the sum; for several, sums are equal with a probability of about 2^-60.
inline constexpr std::uint32_t kPlaceStep = 0x7F4A7C15, kPlaceFactor = 0x9E3779B1;
inline constexpr int kPlaceShift = 15;

}  // namespace cvl::cpu
