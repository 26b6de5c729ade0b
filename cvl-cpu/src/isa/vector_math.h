#pragma once

/// Mathematical functions of several elements at once. On x86-64 they are glibc's vector library (at most
/// 4 ulp off), elsewhere the C library's, element by element.

#include <cmath>

#include "isa/isa.h"
#include "vcode/op_semantics.h"

namespace cvl::cpu::CVL_ISA {

#if defined(__AVX512F__)
typedef __m512d MathF64;
typedef __m512 MathF32;
#define CVL_VECTOR_F64(operands, name) _ZGVeN8##operands##_##name
#define CVL_VECTOR_F32(operands, name) _ZGVeN16##operands##_##name##f
#elif defined(__AVX2__)
typedef __m256d MathF64;
typedef __m256 MathF32;
#define CVL_VECTOR_F64(operands, name) _ZGVdN4##operands##_##name
#define CVL_VECTOR_F32(operands, name) _ZGVdN8##operands##_##name##f
#elif defined(__x86_64__)
typedef __m128d MathF64;
typedef __m128 MathF32;
#define CVL_VECTOR_F64(operands, name) _ZGVbN2##operands##_##name
#define CVL_VECTOR_F32(operands, name) _ZGVbN4##operands##_##name##f
#else
typedef double MathF64;
typedef float MathF32;
#define CVL_VECTOR_F64(operands, name) name
#define CVL_VECTOR_F32(operands, name) name##f
#endif

#if defined(__x86_64__)
#define CVL_DECLARE_MATH(name)                           \
  extern "C" MathF64 CVL_VECTOR_F64(v, name)(MathF64 a); \
  extern "C" MathF32 CVL_VECTOR_F32(v, name)(MathF32 a);
#define CVL_DECLARE_MATH2(name)                                      \
  extern "C" MathF64 CVL_VECTOR_F64(vv, name)(MathF64 a, MathF64 b); \
  extern "C" MathF32 CVL_VECTOR_F32(vv, name)(MathF32 a, MathF32 b);
#else
#define CVL_DECLARE_MATH(name)
#define CVL_DECLARE_MATH2(name)
#endif

/// The vector function of a row of ops.def, if it has one.
template <class Row>
struct MathOf {
  static constexpr bool kHas = false;
};

/// CVL_MATH(Row, name): of one operand. CVL_MATH2(Row, name): of two.
#define CVL_MATH(Row, name)                                                         \
  CVL_DECLARE_MATH(name)                                                            \
  template <>                                                                       \
  struct MathOf<vcode::ops::Row> {                                                  \
    static constexpr bool kHas = true;                                              \
    static MathF64 apply(MathF64 a, MathF64) { return CVL_VECTOR_F64(v, name)(a); } \
    static MathF32 apply(MathF32 a, MathF32) { return CVL_VECTOR_F32(v, name)(a); } \
  };
#define CVL_MATH2(Row, name)                                                              \
  CVL_DECLARE_MATH2(name)                                                                 \
  template <>                                                                             \
  struct MathOf<vcode::ops::Row> {                                                        \
    static constexpr bool kHas = true;                                                    \
    static MathF64 apply(MathF64 a, MathF64 b) { return CVL_VECTOR_F64(vv, name)(a, b); } \
    static MathF32 apply(MathF32 a, MathF32 b) { return CVL_VECTOR_F32(vv, name)(a, b); } \
  };

CVL_MATH(Log, log)
CVL_MATH(Exp, exp)
CVL_MATH2(Power, pow)
CVL_MATH(Sin, sin)
CVL_MATH(Cos, cos)
CVL_MATH(Tan, tan)
CVL_MATH(Asin, asin)
CVL_MATH(Acos, acos)
CVL_MATH(Atan, atan)
CVL_MATH2(Atan2, atan2)
CVL_MATH(Sinh, sinh)
CVL_MATH(Cosh, cosh)
CVL_MATH(Tanh, tanh)

#undef CVL_MATH
#undef CVL_MATH2
#undef CVL_DECLARE_MATH
#undef CVL_DECLARE_MATH2

template <class T>
struct MathVector {
  using type = MathF64;
};
template <>
struct MathVector<float> {
  using type = MathF32;
};

/// result[e] = function(a[e]) or function(a[e], b[e]), for n elements; an operand whose bit of kSingle is set is one
/// element for all. The last elements are computed in a vector filled up with ones, so that the result of an element
/// does not depend on its place. A function of one operand has `b` = `a`. Result and operands may be the same vector.
template <class Row, int kSingle, class T>
inline void apply_math(T* result, const T* a, const T* b, int64_t n) {
  using V = typename MathVector<T>::type;
  constexpr int64_t kWidth = sizeof(V) / sizeof(T);
  const V one_a = kSingle & 1 ? V{} + a[0] : V{}, one_b = kSingle & 2 ? V{} + b[0] : V{};
  const auto apply = [&](const T* x, const T* y) {
    return MathOf<Row>::apply(kSingle & 1 ? one_a : load<V>(x), kSingle & 2 ? one_b : load<V>(y));
  };
  int64_t e = 0;
  for (; e + kWidth <= n; e += kWidth) store(result + e, apply(a + e, b + e));
  if (e == n) return;
  T rest_a[kWidth], rest_b[kWidth];
  for (int64_t k = 0; k < kWidth; ++k) {
    rest_a[k] = e + k < n && !(kSingle & 1) ? a[e + k] : T(1);
    rest_b[k] = e + k < n && !(kSingle & 2) ? b[e + k] : T(1);
  }
  T rest[kWidth];
  store(rest, apply(rest_a, rest_b));
  std::memcpy(result + e, rest, static_cast<std::size_t>(n - e) * sizeof(T));
}

}  // namespace cvl::cpu::CVL_ISA
