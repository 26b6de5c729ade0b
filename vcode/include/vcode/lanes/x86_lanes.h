#pragma once

/// What takes one instruction on x86-64 where number_lanes.h has several. The results have the same bits.

#include <immintrin.h>

#include "vcode/lanes/number_lanes.h"

namespace vcode::lanes {

#define VC_LANES_OF(Vector, prefix)                                              \
  VC_LANES Vector at_most(Vector c, Vector x) { return prefix##_min_pd(c, x); }  \
  VC_LANES Vector at_least(Vector c, Vector x) { return prefix##_max_pd(c, x); } \
  VC_LANES Vector sqrt_lanes(Vector x) { return prefix##_sqrt_pd(x); }
#define VC_FUSED_LANES_OF(Vector, prefix)                                                                 \
  VC_LANES Vector plus_exact_product(Vector a, Vector b, Vector c) { return prefix##_fmadd_pd(b, c, a); } \
  VC_LANES Pair<Vector> exact_product(Vector a, Vector b) { return {a * b, prefix##_fmsub_pd(a, b, a * b)}; }

typedef double Doubles128 __attribute__((vector_size(16)));
typedef std::int64_t Flags128 __attribute__((vector_size(16)));
VC_LANES bool in_all(Flags128 flags) { return _mm_movemask_pd(bits_as<Doubles128>(flags)) == 3; }
VC_LANES_OF(Doubles128, _mm)

#if defined(__AVX2__) && defined(__FMA__)
typedef double Doubles256 __attribute__((vector_size(32)));
typedef std::int64_t Flags256 __attribute__((vector_size(32)));
VC_LANES bool in_all(Flags256 flags) { return _mm256_movemask_pd(bits_as<Doubles256>(flags)) == 15; }
VC_LANES_OF(Doubles256, _mm256)
VC_FUSED_LANES_OF(Doubles256, _mm256)
#endif

#if defined(__AVX512F__) && defined(__AVX512DQ__)
typedef double Doubles512 __attribute__((vector_size(64)));
typedef std::int64_t Flags512 __attribute__((vector_size(64)));
VC_LANES bool in_all(Flags512 flags) { return _mm512_movepi64_mask(reinterpret_cast<__m512i>(flags)) == 255; }
VC_LANES_OF(Doubles512, _mm512)
VC_FUSED_LANES_OF(Doubles512, _mm512)

VC_LANES Doubles512 scale(Doubles512 x, Doubles512 k) { return _mm512_scalef_pd(x, k); }
VC_LANES Split<Doubles512> split(Doubles512 x) {
  const Doubles512 one = _mm512_set1_pd(1.0), exponent = _mm512_getexp_pd(x),
                   mantissa = _mm512_getmant_pd(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_src);
  return {_mm512_mask_add_pd(exponent, _mm512_cmp_pd_mask(mantissa, one, _CMP_LT_OQ), exponent, one), mantissa - one};
}
#endif

#undef VC_LANES_OF
#undef VC_FUSED_LANES_OF

}  // namespace vcode::lanes
