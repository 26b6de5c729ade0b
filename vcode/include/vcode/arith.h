#pragma once

/// The small functions that the expressions of ops.def are written with. They depend on nothing but fault_kind.h and
/// the freestanding headers, so host code, device code and generated kernels can all include this file. Every function
/// is total: where VCODE leaves a result undefined, the matching *_fault function reports it, and the value returned
/// here is arbitrary. T and F may also be lanes of LLVM assembly, for which cvl-cpu/src/lanes/lanes.h overloads the
/// functions that C++ has no operator for.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "vcode/fault_kind.h"

#if defined(__CUDACC__)
#define VC_HD __host__ __device__
#else
#define VC_HD
#endif

namespace vcode {

template <class T>
using Unsigned = typename std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, std::make_unsigned<T>,
                                             std::type_identity<T>>::type;

/// Number of bits of an integer.
template <class T>
inline constexpr int kBitsOf = sizeof(T) * 8;

/// `a` where the flag is true, else `b`; both are computed. In vectors for each element.
template <class Flag, class T>
VC_HD constexpr T select(Flag flag, T a, T b) {
  return flag ? a : b;
}

/// The fault of an element that is at fault where the flag is true.
VC_HD constexpr FaultKind fault_if(bool flag, FaultKind kind) { return flag ? kind : FaultKind::kNone; }

/// a+b, a-b, a*b: modulo 2^width for integers, IEEE for floats.
template <class T>
VC_HD constexpr T wrap_add(T a, T b) {
  return T(Unsigned<T>(a) + Unsigned<T>(b));
}
template <class T>
VC_HD constexpr T wrap_sub(T a, T b) {
  return T(Unsigned<T>(a) - Unsigned<T>(b));
}
template <class T>
VC_HD constexpr T wrap_mul(T a, T b) {
  return T(Unsigned<T>(a) * Unsigned<T>(b));
}

/// a/b: toward zero for integers, IEEE for floats and vectors of them.
template <class T>
VC_HD constexpr T divide(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return b == -1 ? wrap_sub(T(0), a) : a / (b == 0 ? T(1) : b);
  else
    return a / b;
}
/// a - b*(a/b): the sign of the remainder is that of a.
template <class T>
VC_HD constexpr T remainder(T a, T b) {
  return b == 0 || b == -1 ? T(0) : a % b;
}
template <class T>
VC_HD constexpr FaultKind divide_fault(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return FaultKind::kNone;
  else
    return b == 0                                               ? FaultKind::kDivideByZero
           : ((b == -1) & (a == std::numeric_limits<T>::min())) ? FaultKind::kDivideOverflow
                                                                : FaultKind::kNone;
}
/// The remainder of the most negative integer by -1 is 0, so only b == 0 is at fault.
template <class T>
VC_HD constexpr auto remainder_fault(T, T b) {
  return fault_if(b == 0, FaultKind::kDivideByZero);
}

/// Whether some dividend makes a division by b fail; of floats none does.
template <class T>
VC_HD constexpr bool divide_risk(T b) {
  return !std::is_floating_point_v<T> && (b == T(0) || b == T(-1));
}

template <class T>
VC_HD constexpr bool remainder_risk(T b) {
  return b == 0;
}

template <class T>
VC_HD constexpr T shift_left(T a, T b) {
  return T(Unsigned<T>(a) << (Unsigned<T>(b) & (kBitsOf<T> - 1)));
}
template <class T>
VC_HD constexpr T shift_right(T a, T b) {
  return a >> (Unsigned<T>(b) & (kBitsOf<T> - 1));
}
template <class T>
VC_HD constexpr auto shift_fault(T b) {
  return fault_if((b < 0) | (b >= kBitsOf<T>), FaultKind::kShiftCount);
}

/// Logical for bool, bitwise for integers.
template <class T>
VC_HD constexpr T bit_not(T a) {
  if constexpr (std::is_same_v<T, bool>)
    return !a;
  else
    return T(~a);
}
template <class T>
VC_HD constexpr T bit_and(T a, T b) {
  return T(a & b);
}
template <class T>
VC_HD constexpr T bit_or(T a, T b) {
  return T(a | b);
}
template <class T>
VC_HD constexpr T bit_xor(T a, T b) {
  return T(a ^ b);
}

/// The larger / smaller of two; of a NaN and a number, b must be the accumulated value to be kept, so that
/// a reduction that starts from a number ignores NaN.
template <class T>
VC_HD constexpr T max_of(T a, T b) {
  return select(a > b, a, b);
}
template <class T>
VC_HD constexpr T min_of(T a, T b) {
  return select(a < b, a, b);
}

/// The bounds below which (exclusive) and above which (exclusive) truncation to I is defined, exactly
/// representable in F: min(I) - 1 where F can hold it, else the predecessor of min(I); and max(I) + 1.
template <class I, class F>
VC_HD constexpr F int_upper() {
  return F(Unsigned<I>(1) << (kBitsOf<I> - 2)) * F(2);
}
/// True if v, already rounded to an integral value, is representable in I.
template <class I, class F>
VC_HD constexpr bool fits_int(F v) {
  constexpr F upper = int_upper<I, F>();
  return (v >= -upper) & (v < upper);
}
/// Converts an already rounded value; 0 where it does not fit.
template <class I, class F>
VC_HD constexpr I int_of(F v) {
  return I(select(fits_int<I>(v), v, F(0)));
}

/// F(name) of each function of the standard library that is here a function name_of() of any type. LLVM's names are the
/// same.
#define VC_STANDARD_FUNCTIONS(F) F(floor) F(ceil) F(trunc) F(sqrt) F(fabs)
#define VC_STANDARD_FUNCTION(name) \
  template <class F>               \
  VC_HD inline F name##_of(F a) {  \
    return std::name(a);           \
  }
VC_STANDARD_FUNCTIONS(VC_STANDARD_FUNCTION)
#undef VC_STANDARD_FUNCTION
template <class F>
VC_HD inline F copysign_of(F a, F sign) {
  return std::copysign(a, sign);
}

/// Nearest integer, halves away from zero (the same as std::round, in a form compilers vectorise).
template <class F>
VC_HD inline F round_half_away(F a) {
  const F whole = trunc_of(a);
  return select(fabs_of(a - whole) >= F(0.5), whole + copysign_of(F(1), a), whole);
}

/// The bits of a value as one of another type. std::bit_cast would need a header that not all compilers for devices
/// have.
template <class To, class From>
VC_HD inline To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

/// The same for equal floats, 0.0 and -0.0 among them, and for all NaN: 32 bits made of the bits of a.
template <class I, class F>
VC_HD inline I float_hash(F a) {
  const F number = a == a ? a + F(0) : F(0);  // -0.0 + 0.0 is 0.0
  std::uint32_t bits;
  if constexpr (sizeof(F) == 8) {
    const std::uint64_t all = bits_as<std::uint64_t>(number);
    bits = std::uint32_t(all >> 32) * 0x9e3779b1 + std::uint32_t(all);
  } else {
    bits = bits_as<std::uint32_t>(number);
  }
  return std::int32_t(a == a ? bits : 0x7fc00000);
}

/// The identity elements of MAX and MIN.
template <class T>
VC_HD constexpr T lowest() {
  if constexpr (std::is_floating_point_v<T>)
    return -std::numeric_limits<T>::infinity();
  else
    return std::numeric_limits<T>::min();
}
template <class T>
VC_HD constexpr T highest() {
  if constexpr (std::is_floating_point_v<T>)
    return std::numeric_limits<T>::infinity();
  else
    return std::numeric_limits<T>::max();
}
/// The empty value of MAX, negated for MIN: for floats the single-precision 1e36 of the classic system, which NESL can
/// display, not an infinity.
template <class T>
VC_HD constexpr T max_of_none() {
  if constexpr (std::is_floating_point_v<T>)
    return T(-1e36f);
  else
    return lowest<T>();
}
template <class T>
VC_HD constexpr T min_of_none() {
  if constexpr (std::is_floating_point_v<T>)
    return T(1e36f);
  else
    return highest<T>();
}

/// All bits set / true.
template <class T>
VC_HD constexpr T all_ones() {
  if constexpr (std::is_same_v<T, bool>)
    return true;
  else
    return T(-1);
}

}  // namespace vcode
