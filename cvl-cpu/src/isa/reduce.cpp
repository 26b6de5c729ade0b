/// Reductions of segments.
///
/// Bytes moved: every element once; for irregular segments also an offset (8 bytes) and a result per
/// segment. A long segment is folded on its own. Short ones are folded in groups of as many segments as a
/// vector has lanes: each into a vector of its own, which a transposition then combines, so that neither
/// their lengths nor their position cause branches.

#include "fold.h"

namespace cvl::cpu::CVL_ISA {
namespace {

template <class M, class T>
T reduce_segment(const T* a, int64_t begin, int64_t end) {
  return begin == end ? M::template identity<T>() : fold<M>(a + begin, end - begin);
}

#if defined(__AVX512F__)

template <class T>
inline __m512i bits(Vector<T> v) {
  return (__m512i)v;
}

/// Starts of 8 segments from k.
inline __m512i starts_of(const SegmentMap& map, int64_t k) {
  if (map.offsets != nullptr) return _mm512_loadu_si512(map.offsets + k);
  const __m512i numbers = _mm512_add_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64(k));
  return _mm512_mullo_epi64(numbers, _mm512_set1_epi64(map.regular_length));
}

/// Elements [first, first + kLanes) of a segment of `length`, onto neutral elements where it has none.
template <class M, class T>
inline Vector<T> load_masked(const T* segment, int first, std::int32_t length) {
  using V = Vector<T>;
  const V neutral = splat<T>(M::template neutral<T>());
  V v;
  if constexpr (sizeof(T) == 4) {
    const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __mmask16 present =
        _mm512_cmpgt_epi32_mask(_mm512_set1_epi32(length), _mm512_add_epi32(lanes, _mm512_set1_epi32(first)));
    v = (V)_mm512_mask_loadu_epi32(bits<T>(neutral), present, segment + first);
  } else {
    const __m256i lanes = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    const __mmask8 present =
        _mm256_cmpgt_epi32_mask(_mm256_set1_epi32(length), _mm256_add_epi32(lanes, _mm256_set1_epi32(first)));
    v = (V)_mm512_mask_loadu_epi64(bits<T>(neutral), present, segment + first);
  }
  return M::template combine<V>(v, neutral);
}

/// Combines the halves of x and y: lanes of the result come half from x, half from y. `Low` and `High`
/// select, in terms of the 128-bit quarters, what is combined with what.
template <class M, class T, int Low, int High>
inline Vector<T> merge_quarters(Vector<T> x, Vector<T> y) {
  return M::template combine<Vector<T>>((Vector<T>)_mm512_shuffle_i64x2(bits<T>(x), bits<T>(y), Low),
                                        (Vector<T>)_mm512_shuffle_i64x2(bits<T>(x), bits<T>(y), High));
}

/// Folds the lanes of each row: lane k of the result is fold_lanes(rows[k]).
template <class M, class T>
inline Vector<T> fold_rows(Vector<T>* rows) {
  using V = Vector<T>;
  // Rows i, i + step, … become the quarters of one vector, with halves and quarters folded on the way.
  constexpr int kStep = kLanes<T> / 4;
  for (int i = 0; i < kStep; ++i) {
    const V low = merge_quarters<M, T, 0x44, 0xEE>(rows[i], rows[i + kStep]);
    const V high = merge_quarters<M, T, 0x44, 0xEE>(rows[i + 2 * kStep], rows[i + 3 * kStep]);
    rows[i] = merge_quarters<M, T, 0x88, 0xDD>(low, high);
  }
  auto merge_64 = [](V x, V y) {
    return M::template combine<V>((V)_mm512_unpacklo_epi64(bits<T>(x), bits<T>(y)),
                                  (V)_mm512_unpackhi_epi64(bits<T>(x), bits<T>(y)));
  };
  if constexpr (sizeof(T) == 8) {
    return merge_64(rows[0], rows[1]);
  } else {
    // Within each quarter: 64-bit halves, then 32-bit halves, ending in the order of the rows.
    const __m512 x = (__m512)merge_64(rows[0], rows[1]), y = (__m512)merge_64(rows[2], rows[3]);
    return M::template combine<V>((V)_mm512_shuffle_ps(x, y, 0x88), (V)_mm512_shuffle_ps(x, y, 0xDD));
  }
}

/// Reduces the kLanes segments from k.
template <class M, class T>
inline void reduce_group(const T* a, const SegmentMap& map, int64_t k, T* result) {
  using V = Vector<T>;
  constexpr int kGroup = kLanes<T>;
  const V neutral = splat<T>(M::template neutral<T>()), identity = splat<T>(M::template identity<T>());
  constexpr int kTwo = 2 * kGroup, kFour = 4 * kGroup;
  alignas(64) int64_t starts[kGroup];
  alignas(64) std::int32_t lengths[kGroup];  // capped
  unsigned longer_than_1 = 0, longer_than_one_vector = 0, longer_than_two = 0, filled = 0;
  for (int j = 0; j < kGroup; j += 8) {
    const __m512i start = starts_of(map, k + j);
    const __m512i length = _mm512_sub_epi64(starts_of(map, k + j + 1), start);
    _mm512_store_si512(starts + j, start);
    _mm256_store_si256((__m256i*)(lengths + j),
                       _mm512_cvtepi64_epi32(_mm512_min_epi64(length, _mm512_set1_epi64(kFour + 1))));
    longer_than_1 |= _mm512_cmpgt_epi64_mask(length, _mm512_set1_epi64(1));
    longer_than_one_vector |= _mm512_cmpgt_epi64_mask(length, _mm512_set1_epi64(kGroup));
    longer_than_two |= static_cast<unsigned>(_mm512_cmpgt_epi64_mask(length, _mm512_set1_epi64(kTwo))) << j;
    filled |= static_cast<unsigned>(_mm512_test_epi64_mask(length, length)) << j;
  }
  V sums;
  if (longer_than_1 == 0) {
    const T* first = a + starts[0];
    if constexpr (sizeof(T) == 4)
      sums = (V)_mm512_mask_expandloadu_epi32(bits<T>(neutral), static_cast<__mmask16>(filled), first);
    else
      sums = (V)_mm512_mask_expandloadu_epi64(bits<T>(neutral), static_cast<__mmask8>(filled), first);
    sums = M::template combine<V>(sums, neutral);
  } else {
    // The same order as in fold: vectors 0 to 3 of a segment, then their lanes.
    V rows[kGroup];
    if (longer_than_one_vector == 0)
      for (int j = 0; j < kGroup; ++j) rows[j] = load_masked<M>(a + starts[j], 0, lengths[j]);
    else
      for (int j = 0; j < kGroup; ++j)
        rows[j] = M::template combine<V>(load_masked<M>(a + starts[j], 0, lengths[j]),
                                         load_masked<M>(a + starts[j], kGroup, lengths[j]));
    for (; longer_than_two != 0; longer_than_two &= longer_than_two - 1) {
      const int j = __builtin_ctz(longer_than_two);
      if (lengths[j] <= kFour)
        rows[j] = M::template combine<V>(
            rows[j], M::template combine<V>(load_masked<M>(a + starts[j], kTwo, lengths[j]),
                                            load_masked<M>(a + starts[j], kTwo + kGroup, lengths[j])));
      else
        rows[j] = fold_to_lanes<M>(a + starts[j], map.start(k + j + 1) - starts[j]);
    }
    sums = fold_rows<M, T>(rows);
  }
  if constexpr (sizeof(T) == 4)
    sums = (V)_mm512_mask_blend_epi32(static_cast<__mmask16>(filled), bits<T>(identity), bits<T>(sums));
  else
    sums = (V)_mm512_mask_blend_epi64(static_cast<__mmask8>(filled), bits<T>(identity), bits<T>(sums));
  store(result + k, sums);
}

#endif

/// Reduces segments [begin, end), which lie wholly within the vector.
template <class M, class T>
void reduce_segments(const T* a, const SegmentMap& map, int64_t begin, int64_t end, T* result) {
  int64_t k = begin;
#if defined(__AVX512F__)
  if constexpr (sizeof(T) >= 4) {
    for (; k + kLanes<T> <= end; k += kLanes<T>) reduce_group<M>(a, map, k, result);
  }
#endif
  for (; k < end; ++k) result[k] = reduce_segment<M>(a, map.start(k), map.start(k + 1));
}

template <class M, class T>
void reduce_piece(const void* operand, const SegmentMap& map, const Piece& piece, void* results,
                  ReduceKernels::Edges& edges) {
  const T* a = static_cast<const T*>(operand);
  T* result = static_cast<T*>(results);
  auto fold_from = [&](int64_t begin) { return to_slot(fold<M>(a + begin, piece.element_end - begin)); };
  if (piece.segment_begin == piece.segment_end) {
    edges.tail = fold_from(piece.element_begin);
    return;
  }
  const int64_t first_end = map.start(piece.segment_begin + 1);
  const T head = fold<M>(a + piece.element_begin, first_end - piece.element_begin);
  edges.head = to_slot(head);
  const bool empty = map.start(piece.segment_begin) == first_end;
  result[piece.segment_begin] = empty ? M::template identity<T>() : head;
  reduce_segments<M>(a, map, piece.segment_begin + 1, piece.segment_end, result);
  edges.tail = fold_from(map.start(piece.segment_end));
}

template <class M, class T>
void join_pieces(const SegmentMap& map, const Partition& partition, const ReduceKernels::Edges* edges, void* results) {
  T* result = static_cast<T*>(results);
  T before = M::template neutral<T>();
  for (int64_t p = 0; p < partition.pieces(); ++p) {
    const Piece piece = partition.piece(p);
    const T tail = from_slot<T>(edges[p].tail);
    if (piece.segment_begin == piece.segment_end) {
      before = M::template combine<T>(tail, before);
      continue;
    }
    if (map.start(piece.segment_begin) < piece.element_begin)
      result[piece.segment_begin] = M::template combine<T>(from_slot<T>(edges[p].head), before);
    before = tail;
  }
}

}  // namespace

void add_reduce(Kernels& kernels) {
  for_each_monoid([&]<class M, class T>() {
    kernels.reduce.pieces.at(M::kMonoid, vcode::kElemTypeOf<T>) = reduce_piece<M, T>;
    kernels.reduce.join.at(M::kMonoid, vcode::kElemTypeOf<T>) = join_pieces<M, T>;
  });
}

}  // namespace cvl::cpu::CVL_ISA
