#pragma once

/// Trigonometric functions, their inverses, and lengths of vectors, of numbers in lanes; `P` as in exponentials.h.

#include "vcode/lanes/number_lanes.h"

namespace vcode::lanes {

/// An angle as its distance to the nearest multiple of π/2, and that multiple in the lowest two bits.
template <class V>
struct Reduced {
  V high, low;
  Bits<V> quadrant;
};

/// Of an angle that is at least kLargeAngle; NaN if it is infinite or NaN.
VC_HD Reduced<double> reduce_large(double x);
inline constexpr double kSmallAngle = 12000.0, kLargeAngle = 1e6;

/// Of angles that may be of any size.
template <class V>
VC_LANES Reduced<V> reduce_any(V x) {
  constexpr double kParts[] = {0x1.921fb54400000p+0, 0x1.0b4611a600000p-34, 0x1.3198a2e000000p-69,
                               0x1.b839a252049c1p-104};  // as below, for multiples below 2^20
  const V rounded = x * 0x1.45f306dc9c883p-1 + kRounder, q = rounded - kRounder;
  const Pair<V> second = exact_difference(plus_exact_product(x, q, all<V>(-kParts[0])), q * kParts[1]);
  const Pair<V> third = exact_difference(second.high, q * kParts[2]);
  const Pair<V> sum = exact_sum(third.high, (second.low + third.low) - q * kParts[3]);
  Reduced<V> reduced{sum.high, sum.low, bits_of(rounded)};
  if constexpr (std::is_same_v<V, double>) {
    if (!(x < kLargeAngle)) reduced = reduce_large(x);
  } else {
    for (int k = 0; k < LanesOf<V>::kCount; ++k) {
      if (x[k] < kLargeAngle) continue;
      const Reduced<double> lane = reduce_large(x[k]);
      reduced.high[k] = lane.high;
      reduced.low[k] = lane.low;
      reduced.quadrant[k] = lane.quadrant;
    }
  }
  return reduced;
}

/// Of an angle that is not negative. π/2 is taken as three numbers, the first two with 40 bits, so that their products
/// with a multiple below 2^13 are exact (Cody and Waite).
template <class V>
VC_LANES Reduced<V> reduce(V x) {
  constexpr double kParts[] = {0x1.921fb54442000p+0, 0x1.a308d31318000p-41, 0x1.8a2e03707344ap-81};
  const V rounded = x * 0x1.45f306dc9c883p-1 + kRounder, q = rounded - kRounder;
  const V first = plus_exact_product(x, q, all<V>(-kParts[0])), second = q * kParts[1], high = first - second;
  Reduced<V> reduced{high, ((first - high) - second) - q * kParts[2], bits_of(rounded)};
  const auto small = x < kSmallAngle;
  if (in_all(small)) return reduced;
  const Reduced<V> any = reduce_any(x);
  reduced.high = small ? reduced.high : any.high;
  reduced.low = small ? reduced.low : any.low;
  reduced.quadrant = small ? reduced.quadrant : any.quadrant;
  return reduced;
}

/// A coefficient of the cosine where `odd`, of the sine elsewhere.
template <class V, class Flags>
VC_LANES V either(Flags odd, double of_cosine, double of_sine) {
  return odd ? all<V>(of_cosine) : all<V>(of_sine);
}

/// The sine of an angle that is so many right angles larger: ± sin r = r + r z tail(z) or ± cos r = 1 + z tail(z), z =
/// r².
template <class P, class V>
VC_LANES V sine_behind(const Reduced<V>& angle, std::uint64_t right_angles, Bits<V> sign) {
  const V r = angle.high, z = r * r, square = z * z;
  const Bits<V> quadrant = angle.quadrant + right_angles;
  const auto odd = (quadrant & 1) != 0;
  V tail;
  if constexpr (std::is_same_v<P, float>) {
    tail =
        (either<V>(odd, -0.5, -0x1.5555554cbcb7fp-3) + z * either<V>(odd, 0x1.55554ab75bc81p-5, 0x1.1111089813f11p-7)) +
        square * (either<V>(odd, -0x1.6c0c8cd9c831ap-10, -0x1.a00f9ed646fb0p-13) +
                  z * either<V>(odd, 0x1.9a0283f255f88p-16, 0x1.6cd8952211c5bp-19));
  } else {
    tail =
        (either<V>(odd, -0.5, -0x1.5555555555549p-3) + z * either<V>(odd, 0x1.555555555554cp-5, 0x1.111111110f886p-7)) +
        square * ((either<V>(odd, -0x1.6c16c16c15187p-10, -0x1.a01a019c12fd0p-13) +
                   z * either<V>(odd, 0x1.a01a019cb2b57p-16, 0x1.71de3578d775fp-19)) +
                  square * ((either<V>(odd, -0x1.27e4f80aa66e7p-22, -0x1.ae5e670f87d24p-26) +
                             z * either<V>(odd, 0x1.1ee9ec6697288p-29, 0x1.5d933ba0a8eb8p-33)) +
                            square * either<V>(odd, -0x1.8faede4bae99ep-37, 0.0)));
  }
  const V first = odd ? all<V>(1.0) : r, low = odd ? -(r * angle.low) : angle.low;
  return flip_sign(first + (first * z * tail + low), ((quadrant & 2) << 62) ^ sign);
}

// Of sine and tangent the sign is left out, so that it is kept of a zero, too.

template <class P, class V>
VC_LANES V sin_lanes(V x) {
  return sine_behind<P>(reduce(magnitude(x)), 0, sign_of(x));
}
template <class P, class V>
VC_LANES V cos_lanes(V x) {
  return sine_behind<P>(reduce(magnitude(x)), 1, all_bits<V>(0));
}
template <class P, class V>
VC_LANES V tan_lanes(V x) {
  const Reduced<V> angle = reduce(magnitude(x));
  const V r = angle.high, z = r * r;
  const V sine_tail = polynomial(z, -0x1.5555555555549p-3, 0x1.111111110f886p-7, -0x1.a01a019c12fd0p-13,
                                 0x1.71de3578d775fp-19, -0x1.ae5e670f87d24p-26, 0x1.5d933ba0a8eb8p-33);
  const V cosine_tail = polynomial(z, 0x1.555555555554cp-5, -0x1.6c16c16c15187p-10, 0x1.a01a019cb2b57p-16,
                                   -0x1.27e4f80aa66e7p-22, 0x1.1ee9ec6697288p-29, -0x1.8faede4bae99ep-37);
  const Pair<V> sine = exact_sum(r, r * z * sine_tail + angle.low);
  const V half = z * 0.5, one_less = 1.0 - half;
  const Pair<V> cosine = exact_sum(one_less, ((1.0 - one_less) - half) + (z * z * cosine_tail - r * angle.low));
  const auto odd = (angle.quadrant & 1) != 0;
  const V above = odd ? -cosine.high : sine.high, below = odd ? sine.high : cosine.high;
  const V above_low = odd ? -cosine.low : sine.low, below_low = odd ? sine.low : cosine.low;
  const V quotient = above / below, tangent = quotient + (above_low - quotient * below_low) / below;
  return flip_sign(tangent, sign_of(x));
}

/// (atan t - t) / t³, for t² = z and |t| <= tan π/8.
template <class P, class V>
VC_LANES V atan_tail(V z) {
  if constexpr (std::is_same_v<P, float>)
    return polynomial(z, -0x1.555554c903a80p-2, 0x1.99991a8836389p-3, -0x1.247f0cd50c244p-3, 0x1.c4688d711a99ap-4,
                      -0x1.5b48202b869fep-4, 0x1.84ffcf0b9dca0p-5);
  else
    return polynomial(z, -0x1.555555555553dp-2, 0x1.99999999958f7p-3, -0x1.24924922b1713p-3, 0x1.c71c70e7c3e20p-4,
                      -0x1.745cf90f10c69p-4, 0x1.3b111cadb86a8p-4, -0x1.10ebe0f8315c2p-4, 0x1.df11998bb8e69p-5,
                      -0x1.9cdd0d8f01686p-5, 0x1.37ef967b04efdp-5, -0x1.25a2802c28574p-6);
}

/// The angle of the point (x, y). That of its reflection in the first eighth, or the difference of that and π/4, is
/// found; the angle is a multiple of π/4 and this, or less this.
template <class P, class V>
VC_LANES V atan2_lanes(V y, V x) {
  const V zero = V{}, one = all<V>(1.0), width = magnitude(x), height = magnitude(y);
  const auto steep = height > width;
  V least = steep ? width : height, most = steep ? height : width;
  // Of two zeros the direction is that of x; of two infinities it is diagonal.
  const auto diagonal = (least == most) & (least > zero);
  least = diagonal ? one : least;
  most = (diagonal | (most == zero)) ? one : most;
  // Where sum and difference are numbers.
  const V shrink = most > 0x1p1000 ? all<V>(0x1p-100) : one, factor = most < 0x1p-900 ? all<V>(0x1p100) : shrink;
  least *= factor;
  most *= factor;
  const auto near_diagonal = least > most * 0x1.a827999fcef32p-2;
  const V above = near_diagonal ? least - most : least, below = near_diagonal ? least + most : most;
  const V t = above / below, z = t * t, part = t + t * z * atan_tail<P>(z);

  const Bits<V> steep_sign = steep ? all_bits<V>(kSignBit) : all_bits<V>(0);
  const V first = near_diagonal ? one : zero, second = steep ? 2.0 - first : first;
  const V eighths = sign_of(x) != 0 ? 4.0 - second : second;
  const auto three = eighths == 3.0;
  const V high = three ? all<V>(0x1.2d97c7f3321d2p+1) : eighths * 0x1.921fb54442d18p-1;
  const V low = three ? all<V>(0x1.a79394c9e8a0ap-54) : eighths * 0x1.1a62633145c07p-55;
  const V angle = high + (flip_sign(part, steep_sign ^ sign_of(x)) + low);
  return from_bits<V>(bits_of(angle) | sign_of(y));
}

/// The length of the vector (x, y). Where squares of doubles may overflow or vanish, multiples of x and y by a power of
/// two have none that do; squares of floats are doubles.
template <class P, class V>
VC_LANES V hypot_lanes(V x, V y) {
  const V width = magnitude(x), height = magnitude(y), one = all<V>(1.0),
          infinity = all<V>(std::numeric_limits<double>::infinity());
  V factor = one, inverse = one;
  if constexpr (!std::is_same_v<P, float>) {
    const V most = width > height ? width : height;
    const auto large = most > 0x1p500, small = most < 0x1p-500;
    const V shrink = large ? all<V>(0x1p-600) : one, grow = large ? all<V>(0x1p600) : one;
    factor = small ? all<V>(0x1p600) : shrink;
    inverse = small ? all<V>(0x1p-600) : grow;
  }
  const V a = width * factor, b = height * factor, length = sqrt_lanes(a * a + b * b) * inverse;
  // Also with a NaN beside it.
  return (width == infinity) | (height == infinity) ? infinity : length;
}

template <class P, class V>
VC_LANES V atan_lanes(V x) {
  return atan2_lanes<P>(x, all<V>(1.0));
}
template <class P, class V>
VC_LANES V asin_lanes(V x) {
  return atan2_lanes<P>(x, sqrt_lanes((1.0 - x) * (1.0 + x)));
}
template <class P, class V>
VC_LANES V acos_lanes(V x) {
  return atan2_lanes<P>(sqrt_lanes((1.0 - x) * (1.0 + x)), x);
}

}  // namespace vcode::lanes
