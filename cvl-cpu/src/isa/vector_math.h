#pragma once

/// Mathematical functions of several elements at once. On x86-64 they are glibc's vector library (at most
/// 4 ulp off), elsewhere the C library's, element by element.

#include <cmath>

#include "isa/isa.h"

namespace cvl::cpu::CVL_ISA {

#if defined(__AVX512F__)
typedef __m512d MathF64;
typedef __m512 MathF32;
#define CVL_VECTOR_F64(name) _ZGVeN8v_##name
#define CVL_VECTOR_F32(name) _ZGVeN16v_##name##f
#elif defined(__AVX2__)
typedef __m256d MathF64;
typedef __m256 MathF32;
#define CVL_VECTOR_F64(name) _ZGVdN4v_##name
#define CVL_VECTOR_F32(name) _ZGVdN8v_##name##f
#elif defined(__x86_64__)
typedef __m128d MathF64;
typedef __m128 MathF32;
#define CVL_VECTOR_F64(name) _ZGVbN2v_##name
#define CVL_VECTOR_F32(name) _ZGVbN4v_##name##f
#else
typedef double MathF64;
typedef float MathF32;
#define CVL_VECTOR_F64(name) name
#define CVL_VECTOR_F32(name) name##f
#endif

#if defined(__x86_64__)
#define CVL_DECLARE_MATH(name)                        \
  extern "C" MathF64 CVL_VECTOR_F64(name)(MathF64 a); \
  extern "C" MathF32 CVL_VECTOR_F32(name)(MathF32 a);
#else
#define CVL_DECLARE_MATH(name)
#endif

/// The vector function of a row of ops.def, if it has one.
template <class Row>
struct MathOf {
  static constexpr bool kHas = false;
};

#define CVL_MATH(Row, name)                                             \
  CVL_DECLARE_MATH(name)                                                \
  template <>                                                           \
  struct MathOf<vcode::ops::Row> {                                      \
    static constexpr bool kHas = true;                                  \
    static MathF64 apply(MathF64 a) { return CVL_VECTOR_F64(name)(a); } \
    static MathF32 apply(MathF32 a) { return CVL_VECTOR_F32(name)(a); } \
  };

CVL_MATH(Log, log)
CVL_MATH(Exp, exp)
CVL_MATH(Sin, sin)
CVL_MATH(Cos, cos)
CVL_MATH(Tan, tan)
CVL_MATH(Asin, asin)
CVL_MATH(Acos, acos)
CVL_MATH(Atan, atan)
CVL_MATH(Sinh, sinh)
CVL_MATH(Cosh, cosh)
CVL_MATH(Tanh, tanh)

#undef CVL_MATH
#undef CVL_DECLARE_MATH

template <class T>
struct MathVector {
  using type = MathF64;
};
template <>
struct MathVector<float> {
  using type = MathF32;
};

/// result[e] = function(a[e]). The last elements are computed in a vector filled up with ones, so that an
/// element's result never depends on its place.
template <class Row, class T>
inline void apply_math(T* result, const T* a, int64_t n) {
  using V = typename MathVector<T>::type;
  constexpr int64_t kWidth = sizeof(V) / sizeof(T);
  int64_t e = 0;
  for (; e + kWidth <= n; e += kWidth) store(result + e, MathOf<Row>::apply(load<V>(a + e)));
  if (e < n) {
    T rest[kWidth];
    for (int64_t k = 0; k < kWidth; ++k) rest[k] = e + k < n ? a[e + k] : T(1);
    store(rest, MathOf<Row>::apply(load<V>(rest)));
    std::memcpy(result + e, rest, static_cast<std::size_t>(n - e) * sizeof(T));
  }
}

}  // namespace cvl::cpu::CVL_ISA
