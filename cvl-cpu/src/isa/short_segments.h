#pragma once

/// Folds of as many short segments as a vector has lanes: each to a row of its own, whose lanes a transposition then
/// combines.

#include "isa/vector_fold.h"

namespace cvl::cpu::CVL_ISA {

#if defined(__AVX512F__)

/// The type of a segment's length.
template <class T>
using Length = std::int32_t;

template <class T>
inline __m512i bits(Vector<T> v) {
  return (__m512i)v;
}

/// Elements [first, first + kLanes) of a segment of `length` elements, with the identity element in lanes beyond its
/// end.
template <class M, class T>
inline Vector<T> load_masked(const T* segment, int first, std::int32_t length) {
  using V = Vector<T>;
  const V identity = splat<T>(M::template identity<T>());
  V v;
  if constexpr (sizeof(T) == 4) {
    const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __mmask16 present =
        _mm512_cmplt_epi32_mask(_mm512_add_epi32(lanes, _mm512_set1_epi32(first)), _mm512_set1_epi32(length));
    v = (V)_mm512_mask_loadu_epi32(bits<T>(identity), present, segment + first);
  } else {
    const __m256i lanes = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    const __mmask8 present =
        _mm256_cmplt_epi32_mask(_mm256_add_epi32(lanes, _mm256_set1_epi32(first)), _mm256_set1_epi32(length));
    v = (V)_mm512_mask_loadu_epi64(bits<T>(identity), present, segment + first);
  }
  return M::template combine<V>(v, identity);
}

/// Combines the halves of x and those of y: half of the result is computed from x, half from y. `Low` and `High` are
/// the selectors of the 128-bit quarters that are combined.
template <class M, class T, int Low, int High>
inline Vector<T> merge_quarters(Vector<T> x, Vector<T> y) {
  return M::template combine<Vector<T>>((Vector<T>)_mm512_shuffle_i64x2(bits<T>(x), bits<T>(y), Low),
                                        (Vector<T>)_mm512_shuffle_i64x2(bits<T>(x), bits<T>(y), High));
}

/// Folds the lanes of as many rows as a vector has: lane k of the result is fold_lanes(row(k)).
template <class M, class T, class Row>
inline Vector<T> fold_rows(const Row& row) {
  using V = Vector<T>;
  // Rows i, i + step, … are folded to the quarters of one vector. Only these four rows are in registers at a time.
  constexpr int kStep = kLanes<T> / 4;
  V rows[kStep];
  for (int i = 0; i < kStep; ++i) {
    const V low = merge_quarters<M, T, 0x44, 0xEE>(row(i), row(i + kStep));
    const V high = merge_quarters<M, T, 0x44, 0xEE>(row(i + 2 * kStep), row(i + 3 * kStep));
    rows[i] = merge_quarters<M, T, 0x88, 0xDD>(low, high);
  }
  auto merge_64 = [](V x, V y) {
    return M::template combine<V>((V)_mm512_unpacklo_epi64(bits<T>(x), bits<T>(y)),
                                  (V)_mm512_unpackhi_epi64(bits<T>(x), bits<T>(y)));
  };
  if constexpr (sizeof(T) == 8) {
    return merge_64(rows[0], rows[1]);
  } else {
    // Within each quarter, 64-bit halves are combined, then 32-bit halves; the lanes end in the order of the rows.
    const __m512 x = (__m512)merge_64(rows[0], rows[1]), y = (__m512)merge_64(rows[2], rows[3]);
    return M::template combine<V>((V)_mm512_shuffle_ps(x, y, 0x88), (V)_mm512_shuffle_ps(x, y, 0xDD));
  }
}

/// Folds a segment of at most kRegisters registers to lanes, with the association of fold_to_lanes().
template <class M, int kRegisters, class T>
inline Vector<T> load_row(const T* segment, std::int32_t length) {
  using V = Vector<T>;
  V row = load_masked<M>(segment, 0, length);
  if constexpr (kRegisters >= 2) row = M::template combine<V>(row, load_masked<M>(segment, kLanes<T>, length));
  if constexpr (kRegisters >= 3) row = M::template combine<V>(row, load_masked<M>(segment, 2 * kLanes<T>, length));
  return row;
}

/// A bit for each of kLanes<T> segments: whether it is longer than n.
template <class T>
inline unsigned longer_than(std::int32_t n, const std::int32_t* lengths) {
  if constexpr (kLanes<T> == 16)
    return _mm512_cmpgt_epi32_mask(_mm512_loadu_si512(lengths), _mm512_set1_epi32(n));
  else
    return _mm256_cmpgt_epi32_mask(_mm256_loadu_si256((const __m256i*)lengths), _mm256_set1_epi32(n));
}

/// Folds kLanes segments of at most one element. `filled` has a bit for each segment with an element.
template <class M, class T>
inline Vector<T> take_group(const T* first, unsigned filled) {
  using V = Vector<T>;
  const V identity = splat<T>(M::template identity<T>());
  V v;
  if constexpr (sizeof(T) == 4)
    v = (V)_mm512_mask_expandloadu_epi32(bits<T>(identity), static_cast<__mmask16>(filled), first);
  else
    v = (V)_mm512_mask_expandloadu_epi64(bits<T>(identity), static_cast<__mmask8>(filled), first);
  return M::template combine<V>(v, identity);
}

/// The folds of segments, or the monoid's empty value for those without elements.
template <class M, class T>
inline Vector<T> unless_empty(Vector<T> sums, const std::int32_t* lengths) {
  const auto none = bits<T>(splat<T>(M::template empty_value<T>()));
  const unsigned filled = longer_than<T>(0, lengths);
  if constexpr (kLanes<T> == 16)
    return (Vector<T>)_mm512_mask_blend_epi32(static_cast<__mmask16>(filled), none, bits<T>(sums));
  else
    return (Vector<T>)_mm512_mask_blend_epi64(static_cast<__mmask8>(filled), none, bits<T>(sums));
}

#elif defined(__AVX2__)

template <class T>
using Length = MaskOf<T>;

/// Folds the lanes of as many rows as a register has lanes: lane k of the result is fold_register(row(k)). The result
/// has kGroup lanes of each of the rows `first`, `first` + `step`, ….
template <class M, class T, int kGroup = 1, class Row>
[[gnu::always_inline]] inline Register<T> fold_register_rows(const Row& row, int first = 0, int step = 1) {
  if constexpr (kGroup == kRegisterLanes<T>) {
    return row(first);
  } else {
    const Register<T> x = fold_register_rows<M, T, 2 * kGroup>(row, first, 2 * step);
    const Register<T> y = fold_register_rows<M, T, 2 * kGroup>(row, first + step, 2 * step);
    return M::template combine<Register<T>>(interleaved<kGroup, false>(x, y, LaneNumbers<T>()),
                                            interleaved<kGroup, true>(x, y, LaneNumbers<T>()));
  }
}

/// Folds the lanes of as many rows as a vector has lanes.
template <class M, class T, class Row>
inline Vector<T> fold_rows(const Row& row) {
  Vector<T> sums;
  for (int p = 0; p < sums.kParts; ++p)
    sums.parts[p] = fold_register_rows<M, T>([&](int j) { return row(p * kRegisterLanes<T> + j); });
  return sums;
}

/// Folds a segment of at most kRegisters registers to the lanes of one, with the association of fold_to_lanes().
template <class M, int kRegisters, class T>
inline Register<T> load_row(const T* segment, Length<T> length) {
  using R = Register<T>;
  constexpr int kParts = Vector<T>::kParts, kUsed = kRegisters < kParts ? kRegisters : kParts;
  R parts[kUsed];
  for (int r = 0; r < kRegisters; ++r) {
    constexpr int n = kRegisterLanes<T>;
    const R x =
        M::template combine<R>(load_register_part<M>(segment + r * n, length - r * n), R{} + M::template identity<T>());
    parts[r % kUsed] = r < kUsed ? x : M::template combine<R>(parts[r % kUsed], x);
  }
  for (int half = kUsed / 2; half > 0; half /= 2)
    for (int p = 0; p < half; ++p) parts[p] = M::template combine<R>(parts[p], parts[p + half]);
  return parts[0];
}

/// A bit for each of kLanes<T> segments: whether it is longer than n.
template <class T>
inline unsigned longer_than(Length<T> n, const Length<T>* lengths) {
  unsigned longer = 0;
  for (int k = 0; k < kLanes<T>; k += kRegisterLanes<T>) {
    const auto flags = load<Register<Length<T>>>(lengths + k) > n;
    longer |= unsigned(sizeof(T) == 4 ? _mm256_movemask_ps((__m256)flags) : _mm256_movemask_pd((__m256d)flags)) << k;
  }
  return longer;
}

/// The folds of segments, or the monoid's empty value for those without elements.
template <class M, class T>
inline Vector<T> unless_empty(Vector<T> sums, const Length<T>* lengths) {
  for (int p = 0; p < sums.kParts; ++p) {
    const auto filled = load<Register<Length<T>>>(lengths + p * kRegisterLanes<T>) > Length<T>(0);
    sums.parts[p] = filled ? sums.parts[p] : Register<T>{} + M::template empty_value<T>();
  }
  return sums;
}

#endif

}  // namespace cvl::cpu::CVL_ISA
