#pragma once

#include <cstdint>

namespace cvl::cpu {

/// Constants of the hash of a target of 32 bits. The hash is the square of x ^ x >> kPositionShift, where x = (target +
/// kPositionStep) * kPositionFactor in 32 bits; different multisets of targets have different sums of hashes. The steps
/// before the square are a bijection: the factor is that of Fibonacci hashing for 32 bits (Knuth, "The Art of Computer
/// Programming", volume 3, section 6.4), the step the lower half of the 64-bit one. The square, unlike a sum of
/// targets, is not linear. A single target written twice always changes the sum; for several, sums are equal with a
/// probability of about 2^-60.
inline constexpr std::uint32_t kPositionStep = 0x7F4A7C15, kPositionFactor = 0x9E3779B1;
inline constexpr int kPositionShift = 15;

}  // namespace cvl::cpu
