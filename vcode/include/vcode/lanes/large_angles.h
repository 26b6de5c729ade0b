#pragma once

/// Angles of a million and more, by the digits of 2 / π that count for them (Payne and Hanek 1983).

#include "vcode/functions.h"
#include "vcode/lanes/angles.h"

namespace vcode::lanes {

/// The upper half of a product.
VC_HD constexpr std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & 0xffffffff);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}

/// A number below 2^53 times 2^k.
VC_HD inline double scaled(std::uint64_t number, int k) {
  return static_cast<double>(number) * from_bits<double>(static_cast<std::uint64_t>(1023 + k) << 52);
}

#if defined(__CUDACC__)
__noinline__  // so that kernels, whose angles are seldom large, keep no registers for it
#endif
    VC_FUNCTION_IS Reduced<double>
    reduce_large(double x) {
  static constexpr std::uint64_t kTwoOverPi[] = {
      // the bits behind the point, behind 64 zeros
      0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
      0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
      0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
      0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};
  const std::uint64_t bits = bits_of(x);
  const int exponent = static_cast<int>(bits >> 52 & 2047) - 1075;  // x is an integer times this power of 2
  if (exponent == 972) return {x - x, 0.0, 0};
  const std::uint64_t number = (bits & 0xfffffffffffff) | 0x10000000000000;

  // The bits of 2 / π of weights 2^1 to 2^-190 in the product, if they are multiplied by an integer: those before them
  // make whole turns. Bit i of the table has the weight 2^(63 - i).
  const int first = exponent + 62;
  std::uint64_t window[3];
  for (int k = 0; k < 3; ++k) {
    const int word = first / 64 + k, shift = first % 64;
    window[k] = kTwoOverPi[word] << shift | (shift == 0 ? 0 : kTwoOverPi[word + 1] >> (64 - shift));
  }
  const std::uint64_t low = number * window[2], middle_low = number * window[1];
  const std::uint64_t middle = middle_low + high_product(number, window[2]);
  const std::uint64_t high = number * window[0] + high_product(number, window[1]) + (middle < middle_low ? 1 : 0);

  // Its first two bits count right angles, and the others are a part of one, taken as one from -1/2 to 1/2.
  std::uint64_t part[] = {high << 2 | middle >> 62, middle << 2 | low >> 62, low << 2};
  const bool negative = part[0] >> 63 != 0;
  const std::uint64_t quadrant = (high >> 62) + (negative ? 1 : 0);
  if (negative) {
    part[2] = ~part[2] + 1;
    part[1] = ~part[1] + (part[2] == 0 ? 1 : 0);
    part[0] = ~part[0] + (part[2] == 0 && part[1] == 0 ? 1 : 0);
  }
  int zeros = 0;
  for (; part[0] >> 63 == 0; ++zeros) {
    part[0] = part[0] << 1 | part[1] >> 63;
    part[1] = part[1] << 1 | part[2] >> 63;
    part[2] <<= 1;
  }
  const double upper = scaled(part[0] >> 11, -53 - zeros);
  const double lower = scaled((part[0] & 2047) << 42 | part[1] >> 22, -106 - zeros);
  const double sign = negative ? -1.0 : 1.0;
  constexpr double kHigh = 0x1.921fb54442d18p+0, kLow = 0x1.1a62633145c07p-54;  // π / 2
  const Pair<double> product = exact_product(sign * upper, kHigh);
  const Pair<double> sum = exact_sum(product.high, product.low + sign * (upper * kLow + lower * kHigh));
  return {sum.high, sum.low, quadrant};
}

}  // namespace vcode::lanes
