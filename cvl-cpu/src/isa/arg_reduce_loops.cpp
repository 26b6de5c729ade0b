/// Arg-reductions of segments.
///
/// Bytes moved: every element once. A long segment is folded a block at a time as reductions are, which knows no
/// places; where a block has a better element it is searched for it while it is in the first-level cache: of random
/// data, seldom.

#include <algorithm>

#include "base/tuning.h"
#include "isa/vector_fold.h"

namespace cvl::cpu::CVL_ISA {
namespace {

/// The index of the first of n elements that equals x; -1 if none does.
template <class T>
int64_t find_first(const T* a, int64_t n, T x) {
  using V = Vector<T>;
  int64_t e = 0;
  for (const V wanted = splat<T>(x); e + kLanes<T> <= n; e += kLanes<T>) {
    const auto equal = (Vector<std::int64_t>)(load<V>(a + e) == wanted);
    std::int64_t any = 0;
    for (int j = 0; j < kLanes<std::int64_t>; ++j) any |= equal[j];
    if (any != 0) break;
  }
  while (e < n && a[e] != x) ++e;
  return e < n ? e : -1;
}

/// Of the elements of a few, without branches on them.
template <class M, class T>
Extreme<M, T> extreme_of_few(const T* a, int64_t begin, int64_t end) {
  Extreme<M, T> best;
  for (int64_t e = begin; e < end; ++e) {
    const T both = M::template combine<T>(a[e], best.value);
    best.place = both != best.value ? e : best.place;
    best.value = both;
  }
  // Elements equal to the one that the fold begins with.
  for (int64_t e = begin; best.place < 0 && e < end; ++e)
    if (a[e] == best.value) best.place = e;
  return best;
}

template <class M, class T>
Extreme<M, T> extreme_of(const T* a, int64_t begin, int64_t end) {
  if (end - begin < kFewForExtreme) return extreme_of_few<M>(a, begin, end);
  Extreme<M, T> best;
  for (int64_t at = begin; at < end; at += kExtremeBlock) {
    const int64_t n = std::min(kExtremeBlock, end - at);
    const T value = fold<M>(a + at, n);
    const bool better = M::template combine<T>(value, best.value) != best.value;
    if (!better && (best.place >= 0 || value != best.value)) continue;
    if (const int64_t found = find_first(a + at, n, value); found >= 0) best = {value, at + found};
  }
  return best;
}

template <class M, class T>
AnyExtreme as_any(const Extreme<M, T>& extreme) {
  return {to_slot(extreme.value), extreme.place};
}

template <class M, class T, class I>
void arg_reduce_piece(const void* operand, const SegmentMap& map, const Piece& piece, void* results,
                      ArgReduceKernels::Edges& edges) {
  const T* const a = static_cast<const T*>(operand);
  I* const result = static_cast<I*>(results);
  int64_t begin = piece.element_begin, start = begin;
  for (int64_t k = piece.segment_begin; k < piece.segment_end; ++k) {
    const int64_t end = map.start(k + 1);
    const Extreme<M, T> best = extreme_of<M>(a, begin, end);
    if (k == piece.segment_begin) {
      edges.head = as_any(best);
      start = map.start(k);
    }
    result[k] = index_of_extreme<I>(best.place, start, end);
    begin = start = end;
  }
  edges.tail = as_any(extreme_of<M>(a, begin, piece.element_end));
}

template <class M, class T>
AnyExtreme follow(const AnyExtreme& behind, const AnyExtreme& before) {
  Extreme<M, T> both{from_slot<T>(before.value), before.place};
  both.take(Extreme<M, T>{from_slot<T>(behind.value), behind.place});
  return as_any(both);
}

}  // namespace

void add_arg_reduce(Kernels& kernels) {
  for_each_monoid([&]<class M, class T>() {
    if constexpr (M::kSelects) {
      constexpr ElemType type = vcode::kElemTypeOf<T>;
      kernels.arg_reduce.pieces[0].at(M::kMonoid, type) = arg_reduce_piece<M, T, std::int32_t>;
      kernels.arg_reduce.pieces[1].at(M::kMonoid, type) = arg_reduce_piece<M, T, std::int64_t>;
      kernels.arg_reduce.follow.at(M::kMonoid, type) = follow<M, T>;
      kernels.arg_reduce.none.at(M::kMonoid, type) = as_any(Extreme<M, T>{});
    }
  });
}

}  // namespace cvl::cpu::CVL_ISA
