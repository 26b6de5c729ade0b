#pragma once

/// Exponential function, logarithm, power and hyperbolic functions of numbers in lanes. `P` is the type that the result
/// is rounded to by the caller: for float fewer terms are enough. The coefficients are those of least greatest error
/// (Remez) on the interval of the reduced argument.

#include "vcode/lanes/number_lanes.h"

namespace vcode::lanes {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// ln 2 as two numbers, of which the first has 32 bits, so that its product with an exponent is exact.
inline constexpr double kLn2High = 0x1.62e42fee00000p-1, kLn2Low = 0x1.a39ef35793c76p-33;
inline constexpr double kLog2E = 0x1.71547652b82fep+0;

/// x 2^k, rounded once, where |k| < 2048 and x is from 1/2 to 2. Where 2^k x may be no usual number in two steps.
template <class V>
VC_LANES V scale(V x, V k) {
  if (in_all((k > -1000.0) & (k < 1000.0))) return from_bits<V>(bits_of(x) + (bits_of(k + kRounder) << 52));
  const Bits<V> n = (bits_of(k + kRounder) + 2048) & 4095, half = n >> 1;
  return x * from_bits<V>((half - 1) << 52) * from_bits<V>((n - half - 1) << 52);
}

template <class V>
VC_LANES Split<V> split(V x) {
  constexpr std::uint64_t kHalf = 0x0008000000000000, kThreeQuarters = 0x3fe8000000000000;
  const auto denormal = x < 0x1p-1022;
  const Bits<V> bits = bits_of(denormal ? x * 0x1p54 : x) + kHalf;
  const V exponent = from_bits<V>((bits >> 52) | 0x4330000000000000) - (0x1p52 + 1023.0);
  return {denormal ? exponent - 54.0 : exponent, from_bits<V>((bits & 0xfffffffffffff) + kThreeQuarters) - 1.0};
}

/// (e^r - 1 - r) / r², for |r| <= ln 2 / 2.
template <class P, class V>
VC_LANES V exp_tail(V r) {
  if constexpr (std::is_same_v<P, float>)
    return polynomial(r, 0x1.00000042e1da6p-1, 0x1.5555559867842p-3, 0x1.5554805d5725dp-5, 0x1.11107c975f194p-7,
                      0x1.6d968378802a4p-10, 0x1.a1b84cd584cdep-13);
  else
    return polynomial(r, 0x1.000000000000bp-1, 0x1.5555555555561p-3, 0x1.5555555550036p-5, 0x1.111111110d730p-7,
                      0x1.6c16c185a672bp-10, 0x1.a01a01ba902f1p-13, 0x1.a0199695441c7p-16, 0x1.71dde07c55e6cp-19,
                      0x1.28b04848e6eb7p-22, 0x1.af847cf868653p-26);
}

/// Beyond these every power of e is 0 or infinite.
template <class V>
VC_LANES V within_exponents(V x) {
  return at_least(all<V>(-800.0), at_most(all<V>(800.0), x));
}

template <class P, class V>
VC_LANES V exp_lanes(V x) {
  const V a = within_exponents(x), k = (a * kLog2E + kRounder) - kRounder;
  const V r = plus_exact_product(a, k, all<V>(-kLn2High)) - k * kLn2Low;
  return scale(1.0 + (r + r * r * exp_tail<P>(r)), k);
}
/// e to the power a + b, where b is small, with an error below 0.6 ulp.
template <class V>
VC_LANES V exp_of_sum(V a, V b) {
  const V k = (a * kLog2E + kRounder) - kRounder;
  const V t = plus_exact_product(a, k, all<V>(-kLn2High)), low = b - k * kLn2Low, r = t + low;
  const Pair<V> sum = exact_sum(all<V>(1.0), r);
  return scale(sum.high + (sum.low + (r * r * exp_tail<double>(r) + ((t - r) + low))), k);
}

/// ln(1 + f) = 2 s + s z log_tail(z) with s = f / (2 + f), z = s².
template <class P, class V>
VC_LANES V log_tail(V z) {
  if constexpr (std::is_same_v<P, float>)
    return polynomial(z, 0x1.55555422a75f6p-1, 0x1.999bdb555f445p-2, 0x1.23e9afc33e110p-2, 0x1.ed8b6542a4642p-3);
  else
    return polynomial(z, 0x1.5555555555776p-1, 0x1.99999998f0c27p-2, 0x1.249249b227267p-2, 0x1.c71c015dd9997p-3,
                      0x1.7474e4499190ep-3, 0x1.3852aef3704e4p-3, 0x1.3abf992c8ab81p-3);
}

template <class P, class V>
VC_LANES V log_lanes(V x) {
  const Split<V> parts = split(x);
  const V f = parts.fraction, s = f / (f + 2.0), z = s * s;
  const V rest = s * (f - z * log_tail<P>(z)) - parts.exponent * kLn2Low;
  const V y = plus_exact_product(f - rest, parts.exponent, all<V>(kLn2High)), infinite = all<V>(kInfinity), zero = V{};
  const V of_positive = x < infinite ? y : x;
  return x > zero ? of_positive : x == zero ? -infinite : zero / zero;
}

/// ln x of a positive number as a pair, with an error below 2^-64 of it.
template <class V>
VC_LANES Pair<V> exact_log(V x) {
  constexpr double kHigh = 0x1.62e42fefa2000p-1, kLow = 0x1.9ef35793c7673p-41;              // ln 2, first of 40 bits
  constexpr double kThirdsHigh = 0x1.5555555555555p-1, kThirdsLow = 0x1.5555555555555p-55;  // 2 / 3
  const Split<V> parts = split(x);
  const V f = parts.fraction, d = f + 2.0, d_low = (2.0 - d) + f, reciprocal = 1.0 / d;
  const V s = f * reciprocal;
  const Pair<V> back = exact_product(s, d);
  const V s_low = (((f - back.high) - back.low) - s * d_low) * reciprocal;
  Pair<V> z = exact_product(s, s);
  z.low += 2.0 * s * s_low;
  const V rest = z.high * polynomial(z.high, 0x1.9999999999968p-2, 0x1.2492492498d54p-2, 0x1.c71c71bc761d3p-3,
                                     0x1.745d1bc37ef3bp-3, 0x1.3b1298f28cd0dp-3, 0x1.113a08c1052ffp-3,
                                     0x1.dad2374dcf7c2p-4, 0x1.0178118a1b5acp-3);
  Pair<V> tail = exact_sum(all<V>(kThirdsHigh), rest);
  tail.low += kThirdsLow;
  const Pair<V> third = exact_product(z.high, tail.high);
  Pair<V> factor = exact_sum(all<V>(2.0), third.high);
  factor.low += third.low + (z.high * tail.low + z.low * tail.high);
  const Pair<V> of_fraction = exact_product(s, factor.high);
  const V low = of_fraction.low + (s * factor.low + s_low * factor.high);
  const Pair<V> sum = exact_sum(parts.exponent * kHigh, of_fraction.high);
  return exact_sum(sum.high, sum.low + (parts.exponent * kLow + low));
}

/// x to the power y where x is positive and finite and y is not NaN.
template <class P, class V>
VC_LANES V general_power(V x, V y) {
  // What is larger has no other result, and what is smaller none but 1.
  const V most = all<V>(0x1p66), bounded = at_least(-most, at_most(most, y));
  const V exponent = magnitude(y) < 0x1p-80 ? V{} : bounded;
  if constexpr (std::is_same_v<P, float>) {
    return exp_lanes<float>(exponent * log_lanes<double>(x));
  } else {
    const Pair<V> log = exact_log(x), product = exact_product(exponent, log.high);
    const V high = within_exponents(product.high);
    return exp_of_sum(high, high == product.high ? product.low + exponent * log.low : V{});
  }
}

/// Whether a number that is not negative is an integer; infinity is one.
template <class V>
VC_LANES auto is_whole(V y) {
  const V rounded = (y + 0x1p52) - 0x1p52;
  return (y >= 0x1p52) | (rounded == y);
}

template <class P, class V>
VC_LANES V power_lanes(V x, V y) {
  const V zero = V{}, one = all<V>(1.0), infinite = all<V>(kInfinity), none = zero / zero;
  const V base = magnitude(x), exponent = magnitude(y);
  const auto is_zero = base == zero, is_infinite = base == infinite;
  V power = general_power<P>(base, y);
  const V at_zero = y < zero ? infinite : zero, at_infinity = y < zero ? zero : infinite;
  power = is_zero ? at_zero : power;
  power = is_infinite ? at_infinity : power;
  const auto whole = is_whole(exponent), even = is_whole(exponent * 0.5);
  const V of_negative = even ? power : -power, of_fraction = is_infinite ? power : none;
  power = x < zero ? (whole ? of_negative : of_fraction) : power;
  // The sign of -0.0, which is not below zero.
  power = (is_zero & whole) ? (even ? power : flip_sign(power, sign_of(x))) : power;
  power = (x == x) ? power : x;
  power = (y == y) ? power : y;
  power = x == one ? one : power;
  return y == zero ? one : power;
}

/// Half of sinh and of cosh of x from 0 to 710.5, beyond which they are infinite. sinh(k ln 2 + r) = sinh(k ln 2) cosh
/// r + cosh(k ln 2) sinh r, which are all found without cancellation.
template <class V>
struct Hyperbolic {
  Pair<V> sinh, cosh;
};
template <class P, class V>
VC_LANES Hyperbolic<V> half_hyperbolic(V x) {
  const V rounded = x * kLog2E + kRounder, k = rounded - kRounder;
  const V r = plus_exact_product(x, k, all<V>(-kLn2High)) - k * kLn2Low, z = r * r;
  V sinh_tail, cosh_tail;
  if constexpr (std::is_same_v<P, float>) {
    sinh_tail = polynomial(z, 0x1.555555738595dp-3, 0x1.1110b1c5b632bp-7, 0x1.a16fefbed7c88p-13);
    cosh_tail = polynomial(z, 0x1.55555569ac5fbp-5, 0x1.6c165d31e395fp-10, 0x1.a14c4ca8904f5p-16);
  } else {
    sinh_tail = polynomial(z, 0x1.5555555555559p-3, 0x1.111111110f6b1p-7, 0x1.a01a01afe4c4ep-13, 0x1.71ddf853d2b01p-19,
                           0x1.af5ebfa3d4812p-26);
    cosh_tail =
        polynomial(z, 0x1.5555555553167p-5, 0x1.6c16c17cf584dp-10, 0x1.a019aa90c6c49p-16, 0x1.28a0240030a9fp-22);
  }
  const V sinh_r = r + r * z * sinh_tail, cosh_less_one = z * 0.5 + z * z * cosh_tail;
  // 2^(k - 2) and 2^(-k - 2), of which the second need not be a number where it no longer counts.
  const Bits<V> exponent = bits_of(rounded) & 2047;
  const V grows = from_bits<V>((exponent + 1021) << 52), falls = k > 64.0 ? V{} : from_bits<V>((1021 - exponent) << 52);
  const V s = grows - falls, c = grows + falls;
  return {exact_sum(s, s * cosh_less_one + c * sinh_r), exact_sum(c, c * cosh_less_one + s * sinh_r)};
}

template <class P, class V>
VC_LANES V sinh_lanes(V x) {
  const V half = half_hyperbolic<P>(at_most(all<V>(710.5), magnitude(x))).sinh.high;
  return from_bits<V>(bits_of(half + half) | sign_of(x));
}
template <class P, class V>
VC_LANES V cosh_lanes(V x) {
  const V half = half_hyperbolic<P>(at_most(all<V>(710.5), magnitude(x))).cosh.high;
  return half + half;
}
template <class P, class V>
VC_LANES V tanh_lanes(V x) {
  const Hyperbolic<V> half = half_hyperbolic<P>(at_most(all<V>(30.0), magnitude(x)));
  const V quotient = half.sinh.high / half.cosh.high;
  const V tanh = quotient + (half.sinh.low - quotient * half.cosh.low) / half.cosh.high;
  return from_bits<V>(bits_of(tanh) | sign_of(x));
}

}  // namespace vcode::lanes
