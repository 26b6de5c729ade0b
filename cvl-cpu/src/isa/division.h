#pragma once

/// Quotients and remainders of integers. A processor divides one number at a time, in some ten cycles. These loops
/// divide
/// - 32-bit integers as doubles, whose truncated quotient is exact;
/// - 32-bit integers by a common divisor by multiplying with its reciprocal, a double that is slightly too large: for a
/// dividend a = k * d the product is at least k, and for a = k * d + d - 1 it is below k + 1, since (k + 1) * d <= 2^32
/// and the relative error of the product is less than 2^-49;
/// - 64-bit integers by a common divisor by multiplication and shifts (libdivide).

#if defined(__AVX512F__)
#define LIBDIVIDE_AVX512  // libdivide's functions for vectors take half the time of those for numbers
#endif
#include <libdivide.h>

#include <type_traits>

#include "isa/isa.h"
#include "vcode/arith.h"

namespace cvl::cpu::CVL_ISA {

/// Whether a row of ops.def on these operands divides integers.
template <class Row, class T>
inline constexpr bool kDivides = std::is_integral_v<T> && (Row::kOp == Op::kDivide || Row::kOp == Op::kRemainder);

template <class Row, class T>
inline T quotient_or_rest(T a, T b, T quotient) {
  return Row::kOp == Op::kDivide ? quotient : vcode::wrap_sub(a, vcode::wrap_mul(quotient, b));
}

/// result[e] = row(a[e], divisor); the divisor may not be 0 or -1.
template <class Row, class T>
inline void divide_by_one(T* result, const T* a, T divisor, int64_t n) {
  if constexpr (sizeof(T) == 4) {
    const double size = divisor < 0 ? -double(divisor) : double(divisor);
    const double reciprocal = 1.0 / size * (1.0 + 0x1p-51);
    const T sign = divisor < 0 ? -1 : 0;
    CVL_INDEPENDENT
    for (int64_t e = 0; e < n; ++e) {
      const T x = a[e];
      result[e] = quotient_or_rest<Row>(x, divisor, (T(double(x) * reciprocal) ^ sign) - sign);
    }
  } else {
    const auto by = libdivide::libdivide_s64_branchfree_gen(divisor);
    int64_t e = 0;
#if defined(LIBDIVIDE_AVX512)
    using V = Vector<T>;
    for (; e + kLanes<T> <= n; e += kLanes<T>) {
      const V x = load<V>(a + e);
      const V quotient = (V)libdivide::libdivide_s64_branchfree_do_vector((__m512i)x, &by);
      store(result + e, Row::kOp == Op::kDivide ? quotient : x - quotient * divisor);
    }
#endif
    CVL_INDEPENDENT
    for (; e < n; ++e) {
      const T x = a[e];
      result[e] = quotient_or_rest<Row>(x, divisor, T(libdivide::libdivide_s64_branchfree_do(x, &by)));
    }
  }
}

/// a / b; any value where the row of ops.def is at fault.
template <class T>
inline T quotient(T a, T b) {
  if constexpr (sizeof(T) == 4) {
    const double divisor = (b == 0) | (b == -1) ? 1.0 : double(b);
    const T truncated = T(double(a) / divisor);
    return b == -1 ? vcode::wrap_sub(T(0), a) : truncated;
  } else {
    return vcode::divide(a, b);
  }
}

/// Whether the elements of b are all the same.
template <class T>
inline bool all_equal(const T* b, int64_t n) {
  T differs = 0;
  CVL_INDEPENDENT
  for (int64_t e = 1; e < n; ++e) differs |= b[e] ^ b[0];
  return differs == 0;
}

/// result[e] = row(a[e], b[e]) for n >= 1 elements. An operand whose bit in kSingle is set has one element, used for
/// all e. True if an element is at fault. The result may overwrite an operand.
template <class Row, int kSingle, class T>
inline bool apply_division(T* result, const T* a, const T* b, int64_t n) {
  const T divisor = b[0];
  if constexpr ((kSingle & 1) == 0) {
    const bool by_one = divisor != 0 && divisor != -1 && ((kSingle & 2) != 0 || all_equal(b, n));
    if (by_one) {
      divide_by_one<Row>(result, a, divisor, n);
      return false;
    }
  }
  const T one_a = a[0];
  unsigned faults = 0;
  CVL_INDEPENDENT
  for (int64_t e = 0; e < n; ++e) {
    const T x = kSingle & 1 ? one_a : a[e], y = kSingle & 2 ? divisor : b[e];
    faults |= unsigned(Row::template fault<T>(x, y) != FaultKind::kNone);
    result[e] = quotient_or_rest<Row>(x, y, quotient(x, y));
  }
  return faults != 0;
}

}  // namespace cvl::cpu::CVL_ISA
