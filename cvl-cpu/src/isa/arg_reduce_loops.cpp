/// Arg-reductions of segments.
///
/// Bytes moved: every element once. A long segment is folded a block at a time, as reductions are, without indices;
/// then the first block that holds the best element is searched for it. A short segment is bound by shuffles, the
/// shortest by comparisons.

#include <algorithm>
#include <type_traits>

#include "isa/each_monoid.h"
#include "isa/vector_fold.h"
#include "tuning/loop_tuning.h"

namespace cvl::cpu::CVL_ISA {
namespace {

#if defined(__AVX512F__)

/// The best of the lanes, none of which is NaN.
template <class M, class T>
inline T best_lane(Vector<T> v) {
  constexpr bool kLargest = M::kMonoid == Monoid::kMax;
  if constexpr (std::is_same_v<T, double>)
    return kLargest ? _mm512_reduce_max_pd((__m512d)v) : _mm512_reduce_min_pd((__m512d)v);
  else if constexpr (std::is_same_v<T, float>)
    return kLargest ? _mm512_reduce_max_ps((__m512)v) : _mm512_reduce_min_ps((__m512)v);
  else if constexpr (sizeof(T) == 8)
    return kLargest ? _mm512_reduce_max_epi64((__m512i)v) : _mm512_reduce_min_epi64((__m512i)v);
  else
    return kLargest ? _mm512_reduce_max_epi32((__m512i)v) : _mm512_reduce_min_epi32((__m512i)v);
}

/// A bit for each lane that equals x.
template <class T>
inline unsigned equal_lanes(Vector<T> v, T x) {
  if constexpr (std::is_same_v<T, double>)
    return _mm512_cmp_pd_mask((__m512d)v, _mm512_set1_pd(x), _CMP_EQ_OQ);
  else if constexpr (std::is_same_v<T, float>)
    return _mm512_cmp_ps_mask((__m512)v, _mm512_set1_ps(x), _CMP_EQ_OQ);
  else if constexpr (sizeof(T) == 8)
    return _mm512_cmpeq_epi64_mask((__m512i)v, _mm512_set1_epi64(x));
  else
    return _mm512_cmpeq_epi32_mask((__m512i)v, _mm512_set1_epi32(x));
}

/// Extreme of a few elements, a vector at a time.
template <class M, class T>
Extreme<M, T> extreme_of_few(const T* a, int64_t begin, int64_t end) {
  using V = Vector<T>;
  V best = splat<T>(M::template identity<T>());
  for (int64_t e = begin; e < end; e += kLanes<T>)
    best = M::template combine<V>(load_part<M>(a + e, std::min<int64_t>(end - e, kLanes<T>)), best);
  const T value = best_lane<M, T>(best);
  for (int64_t e = begin; e < end; e += kLanes<T>) {
    const int64_t n = std::min<int64_t>(end - e, kLanes<T>);
    const unsigned equal = equal_lanes<T>(load_part<M>(a + e, n), value) & ((1ull << n) - 1);
    if (equal != 0) return {value, e + __builtin_ctz(equal)};
  }
  return {};
}

#else

/// Extreme of a few elements, without branches on them.
template <class M, class T>
Extreme<M, T> extreme_of_few(const T* a, int64_t begin, int64_t end) {
  Extreme<M, T> best;
  for (int64_t e = begin; e < end; ++e) {
    const bool better = M::kMonoid == Monoid::kMax ? a[e] > best.value : a[e] < best.value;
    best.position = better ? e : best.position;
    best.value = better ? a[e] : best.value;
  }
  // No element is better than the identity element: find one that equals it.
  for (int64_t e = begin; best.position < 0 && e < end; ++e)
    if (a[e] == best.value) best.position = e;
  return best;
}

#endif

/// The index of the first of n elements that equals x; -1 if none does.
template <class T>
int64_t find_first(const T* a, int64_t n, T x) {
  int64_t e = 0;
  for (; e + kLanes<T> <= n; e += kLanes<T>) {
#if defined(__AVX512F__)
    if (equal_lanes<T>(load<Vector<T>>(a + e), x) != 0) break;
#else
    unsigned any = 0;
    for (int j = 0; j < kLanes<T>; ++j) any |= a[e + j] == x;
    if (any != 0) break;
#endif
  }
  while (e < n && a[e] != x) ++e;
  return e < n ? e : -1;
}

/// Extreme of at most kFewestForExtreme elements, without a branch on their number.
template <class M, class T>
Extreme<M, T> extreme_of_fewest(const T* a, int64_t begin, int64_t end) {
  Extreme<M, T> best;
  if (begin == end) return best;
  for (int64_t j = 0; j < kFewestForExtreme; ++j) {
    const int64_t e = std::min(begin + j, end - 1);  // the last element again: it is not better than itself
    const bool better = M::kMonoid == Monoid::kMax ? a[e] > best.value : a[e] < best.value;
    best.position = better ? e : best.position;
    best.value = better ? a[e] : best.value;
  }
  for (int64_t e = begin; best.position < 0 && e < end; ++e)
    if (a[e] == best.value) best.position = e;
  return best;
}

/// Extreme of elements [begin, end). Gives none if it is no better than `before`, the extreme of earlier elements.
template <class M, class T>
Extreme<M, T> extreme_of(const T* a, int64_t begin, int64_t end, const AnyExtreme& before = {}) {
  if (end - begin <= kFewestForExtreme) return extreme_of_fewest<M>(a, begin, end);
  if (end - begin < kFewForExtreme) return extreme_of_few<M>(a, begin, end);
  const auto is_better = [](T x, T than) { return M::template combine<T>(x, than) != than; };
  // The first block that holds the best element; -1: no element is better than the identity element.
  T best = M::template identity<T>();
  int64_t block = -1;
  for (int64_t at = begin; at < end; at += kExtremeBlock) {
    const T value = fold<M>(a + at, std::min(kExtremeBlock, end - at));
    if (!is_better(value, best)) continue;
    best = value;
    block = at;
  }
  if (before.position >= 0 && !is_better(best, from_slot<T>(before.value))) return {};
  const int64_t from = block < 0 ? begin : block, to = block < 0 ? end : std::min(block + kExtremeBlock, end);
  const int64_t found = find_first(a + from, to - from, best);
  return found < 0 ? Extreme<M, T>{} : Extreme<M, T>{best, from + found};
}

template <class M, class T>
AnyExtreme as_any(const Extreme<M, T>& extreme) {
  return {to_slot(extreme.value), extreme.position};
}

template <class M, class T, class I>
void arg_reduce_chunk(const void* operand, const SegmentDescriptor& descriptor, const Chunk& chunk, void* results,
                      ArgReduceKernels::Edges& edges) {
  const T* const a = static_cast<const T*>(operand);
  I* const result = static_cast<I*>(results);
  AnyExtreme before = edges.tail;
  int64_t begin = chunk.element_begin, start = begin;
  for (int64_t k = chunk.segment_begin; k < chunk.segment_end; ++k) {
    const int64_t end = descriptor.start(k + 1);
    const Extreme<M, T> best = extreme_of<M>(a, begin, end, before);
    if (k == chunk.segment_begin) {
      before = {};
      edges.head = as_any(best);
      start = descriptor.start(k);
    }
    result[k] = index_of_extreme<I>(best.position, start, end);
    begin = start = end;
  }
  edges.tail = as_any(extreme_of<M>(a, begin, chunk.element_end, before));
}

template <class M, class T>
AnyExtreme follow(const AnyExtreme& behind, const AnyExtreme& before) {
  Extreme<M, T> both{from_slot<T>(before.value), before.position};
  both.take(Extreme<M, T>{from_slot<T>(behind.value), behind.position});
  return as_any(both);
}

}  // namespace

void add_arg_reduce(Kernels& kernels) {
  for_each_monoid([&]<class M, class T>() {
    if constexpr (M::kSelects) {
      constexpr ElemType type = vcode::kElemTypeOf<T>;
      kernels.arg_reduce.chunks[0].at(M::kMonoid, type) = arg_reduce_chunk<M, T, std::int32_t>;
      kernels.arg_reduce.chunks[1].at(M::kMonoid, type) = arg_reduce_chunk<M, T, std::int64_t>;
      kernels.arg_reduce.follow.at(M::kMonoid, type) = follow<M, T>;
      kernels.arg_reduce.none.at(M::kMonoid, type) = as_any(Extreme<M, T>{});
    }
  });
}

}  // namespace cvl::cpu::CVL_ISA
