#pragma once

/// Numbers of 64 bits as the functions of exponentials.h and angles.h compute with them: a double, or a vector of
/// several in a register. Every operation is one that IEEE 754 rounds correctly, or a change of bits, so that each lane
/// has the same bits as a number by itself, on every machine. That needs a compiler that rounds a * b + c twice.

#include "vcode/arith.h"

#if defined(__CUDACC__)
#define VC_LANES VC_HD inline
#else
/// Inlined, since a copy that is compiled for one instruction set must not run on another.
#define VC_LANES [[gnu::always_inline]] inline
#endif

namespace vcode::lanes {

#if defined(__CUDACC__)
template <class V>
struct LanesOf;
#else
template <class V>
struct LanesOf {
  typedef std::uint64_t Bits __attribute__((vector_size(sizeof(V))));
  static constexpr int kCount = sizeof(V) / sizeof(double);
};
#endif
template <>
struct LanesOf<double> {
  typedef std::uint64_t Bits;
  static constexpr int kCount = 1;
};
template <class V>
using Bits = typename LanesOf<V>::Bits;

template <class V>
VC_LANES Bits<V> bits_of(V x) {
  return bits_as<Bits<V>>(x);
}
template <class V>
VC_LANES V from_bits(Bits<V> bits) {
  return bits_as<V>(bits);
}

/// The same number in all lanes.
template <class V>
VC_LANES V all(double x) {
  if constexpr (std::is_same_v<V, double>)
    return x;
  else
    return x - V{};
}
template <class V>
VC_LANES Bits<V> all_bits(std::uint64_t bits) {
  return Bits<V>{} + bits;
}

inline constexpr std::uint64_t kSignBit = 0x8000000000000000;

template <class V>
VC_LANES V magnitude(V x) {
  return from_bits<V>(bits_of(x) & ~kSignBit);
}
template <class V>
VC_LANES Bits<V> sign_of(V x) {
  return bits_of(x) & kSignBit;
}
/// With the sign changed where the bit is set.
template <class V>
VC_LANES V flip_sign(V x, Bits<V> sign) {
  return from_bits<V>(bits_of(x) ^ sign);
}

template <class V>
VC_LANES V sqrt_lanes(V x) {
  if constexpr (std::is_same_v<V, double>) {
    return std::sqrt(x);
  } else {
    for (int k = 0; k < LanesOf<V>::kCount; ++k) x[k] = std::sqrt(x[k]);
    return x;
  }
}

/// c0 + c1 x + c2 x² + …, two terms at a time.
template <class V>
VC_LANES V series(V, V, double c) {
  return all<V>(c);
}
template <class V>
VC_LANES V series(V x, V, double c0, double c1) {
  return x * c1 + c0;
}
template <class V, class... C>
VC_LANES V series(V x, V square, double c0, double c1, C... rest) {
  return (x * c1 + c0) + square * series(x, square, rest...);
}
template <class V, class... C>
VC_LANES V polynomial(V x, C... coefficients) {
  return series(x, x * x, coefficients...);
}

/// c where c < x, else x: as the instruction that finds a minimum, which passes on an x that is NaN.
template <class V>
VC_LANES V at_most(V c, V x) {
  return c < x ? c : x;
}
template <class V>
VC_LANES V at_least(V c, V x) {
  return c > x ? c : x;
}

/// A number as the sum of two, of which the second is small.
template <class V>
struct Pair {
  V high, low;
};

/// a + b c, where b c is a number without being rounded: then one rounding or two are the same.
template <class V>
VC_LANES V plus_exact_product(V a, V b, V c) {
  return a + b * c;
}

/// x with 26 bits, and the rest with as many.
template <class V>
VC_LANES Pair<V> halves(V x) {
  const V product = x * 134217729.0, high = product - (product - x);
  return {high, x - high};
}
/// a b, exactly (Dekker 1971), if it is neither near the largest number nor near the smallest.
template <class V>
VC_LANES Pair<V> exact_product(V a, V b) {
  const V product = a * b;
  const Pair<V> x = halves(a), y = halves(b);
  return {product, ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low};
}
/// a + b, exactly, where |a| >= |b| or a is 0.
template <class V>
VC_LANES Pair<V> exact_sum(V a, V b) {
  const V sum = a + b;
  return {sum, b - (sum - a)};
}
/// a - b, exactly (Knuth).
template <class V>
VC_LANES Pair<V> exact_difference(V a, V b) {
  const V difference = a - b, part = a - difference;
  return {difference, (a - (difference + part)) + (part - b)};
}

/// An integer in a double, found by rounding: kRounder + k has k in its lowest bits, as a two's complement.
inline constexpr double kRounder = 0x1.8p52;

/// Whether something holds in all lanes.
template <class Flags>
VC_LANES bool in_all(Flags flags) {
  if constexpr (std::is_integral_v<Flags>) {
    return flags != 0;
  } else {
    std::int64_t all = -1;
    for (int k = 0; k < static_cast<int>(sizeof(Flags) / sizeof(std::int64_t)); ++k) all &= flags[k];
    return all != 0;
  }
}

/// x = 2^exponent (1 + fraction), with a fraction from -1/4 to 1/2, of a number that is positive and finite.
template <class V>
struct Split {
  V exponent, fraction;
};
}  // namespace vcode::lanes

#if defined(__x86_64__) && !defined(__CUDACC__)
#include "vcode/lanes/x86_lanes.h"
#endif
