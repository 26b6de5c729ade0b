/// Reductions of segments.
///
/// Bytes moved: every element once; for irregular segments also an offset (8 bytes) and a result per segment; large
/// results are streamed. Segments are folded in groups of kLanes: each into a vector of its own, whose lanes a
/// transposition then combines. Short segments are bound by shuffles and masks, which use one port: a segment of i32
/// takes 2 masks, each with a load that spans two cache lines, and 2 shuffles, in all 6 cycles.

#include "isa/each_monoid.h"
#include "isa/vector_fold.h"
#include "tuning/loop_tuning.h"

namespace cvl::cpu::CVL_ISA {
namespace {

template <class M, class T>
T reduce_segment(const T* a, int64_t begin, int64_t end) {
  return begin == end ? M::template empty_value<T>() : fold_segment<M>(a + begin, end - begin);
}

#if defined(__AVX512F__)

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

/// Folds a segment of at most kVectors vectors to lanes, with the association of fold_to_lanes().
template <class M, int kVectors, class T>
inline Vector<T> load_row(const T* segment, std::int32_t length) {
  using V = Vector<T>;
  V row = load_masked<M>(segment, 0, length);
  if constexpr (kVectors >= 2) row = M::template combine<V>(row, load_masked<M>(segment, kLanes<T>, length));
  if constexpr (kVectors >= 3) row = M::template combine<V>(row, load_masked<M>(segment, 2 * kLanes<T>, length));
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

/// Folds kLanes segments, of which `longer` have more than 3 * kLanes elements.
template <class M, class T>
[[gnu::noinline]] Vector<T> fold_long_group(const T* a, const int64_t* starts, const std::int32_t* lengths,
                                            unsigned longer) {
  Vector<T> rows[kLanes<T>];  // in the order of memory
  for (int j = 0; j < kLanes<T>; ++j) {
    const T* const segment = a + starts[j];
    const int64_t length = starts[j + 1] - starts[j];
    if (kRounds<M, T> && length > kFoldBlock) {
      rows[j] = splat<T>(M::template identity<T>());
      rows[j][0] = fold_segment<M>(segment, length);
    } else {
      rows[j] = longer >> j & 1 ? fold_to_lanes<M>(segment, length) : load_row<M, 3>(segment, lengths[j]);
    }
  }
  return fold_rows<M, T>([&](int j) { return rows[j]; });
}

/// Folds kLanes segments of at most kVectors * kLanes elements.
template <class M, int kVectors, class T>
inline Vector<T> fold_short_group(const T* a, const int64_t* starts, const std::int32_t* lengths) {
  return fold_rows<M, T>([&](int j) { return load_row<M, kVectors>(a + starts[j], lengths[j]); });
}

/// Folds kLanes segments of at most 3 * kLanes elements, and prefetches at distance `ahead`.
template <class M, class T>
inline Vector<T> fold_group(const T* a, const int64_t* starts, const std::int32_t* lengths, std::ptrdiff_t ahead) {
  constexpr int kGroup = kLanes<T>;
  for (int j = 0; j < kGroup; ++j) _mm_prefetch(reinterpret_cast<const char*>(a + starts[j]) + ahead, _MM_HINT_T0);
  // Branch once for the group: branches on the length of each segment would be mispredicted.
  if (longer_than<T>(kGroup, lengths) == 0) return fold_short_group<M, 1>(a, starts, lengths);
  if (longer_than<T>(2 * kGroup, lengths) == 0) return fold_short_group<M, 2>(a, starts, lengths);
  return fold_short_group<M, 3>(a, starts, lengths);
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

/// Reduces segments [k, k + n), n a multiple of kLanes up to kReduceSegments. With `stream`, result + k is aligned.
template <class M, class T>
void reduce_block(const T* a, const SegmentDescriptor& descriptor, int64_t k, int64_t n, T* result, bool stream,
                  std::ptrdiff_t ahead) {
  using V = Vector<T>;
  constexpr int kGroup = kLanes<T>;
  VC_CHECK(n % kGroup == 0 && n <= kReduceSegments);
  VC_CHECK(!stream || reinterpret_cast<std::uintptr_t>(result + k) % kVectorBytes == 0);
  const V empty_value = splat<T>(M::template empty_value<T>());
  int64_t regular[kReduceSegments + 1];
  const int64_t* starts = regular;
  if (descriptor.is_regular())
    for (int64_t j = 0; j <= n; ++j) regular[j] = (k + j) * descriptor.regular_length;
  else
    starts = descriptor.offsets + k;
  alignas(64) std::int32_t lengths[kReduceSegments];
  for (int64_t j = 0; j < n; ++j) {
    const int64_t length = starts[j + 1] - starts[j];
    lengths[j] = static_cast<std::int32_t>(length < 4 * kGroup ? length : 4 * kGroup);
  }
  for (int64_t g = 0; g < n; g += kGroup) {
    const unsigned filled = longer_than<T>(0, lengths + g);
    V sums;
    if (const unsigned longer = longer_than<T>(3 * kGroup, lengths + g); longer != 0)
      sums = fold_long_group<M>(a, starts + g, lengths + g, longer);
    else if (longer_than<T>(1, lengths + g) != 0)
      sums = fold_group<M>(a, starts + g, lengths + g, ahead);
    else
      sums = take_group<M>(a + starts[g], filled);
    V out;
    if constexpr (kGroup == 16)
      out = (V)_mm512_mask_blend_epi32(static_cast<__mmask16>(filled), bits<T>(empty_value), bits<T>(sums));
    else
      out = (V)_mm512_mask_blend_epi64(static_cast<__mmask8>(filled), bits<T>(empty_value), bits<T>(sums));
    if (stream)
      _mm512_stream_si512((__m512i*)(result + k + g), bits<T>(out));
    else
      store(result + k + g, out);
  }
}

#endif

/// Reduces segments [begin, end), all of whose elements are in the chunk.
template <class M, class T>
void reduce_segments(const T* a, const SegmentDescriptor& descriptor, int64_t begin, int64_t end, T* result,
                     [[maybe_unused]] bool stream, [[maybe_unused]] std::ptrdiff_t ahead) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) >= 4) {
    constexpr int64_t kGroup = kLanes<T>;
    if (end - begin >= kGroup) {
      // The first and the last group overlap their neighbours, so that the results of the groups between are aligned.
      reduce_block<M>(a, descriptor, begin, kGroup, result, false, ahead);
      const auto address = reinterpret_cast<std::uintptr_t>(result + begin);
      int64_t k = begin + kGroup - static_cast<int64_t>(address % kVectorBytes / sizeof(T));
      for (int64_t n; (n = (end - k) / kGroup * kGroup) > 0; k += n) {
        if (n > kReduceSegments) n = kReduceSegments;
        reduce_block<M>(a, descriptor, k, n, result, stream, ahead);
      }
      if (k < end) reduce_block<M>(a, descriptor, end - kGroup, kGroup, result, false, ahead);
      return;
    }
  }
#endif
  for (int64_t k = begin; k < end; ++k) result[k] = reduce_segment<M>(a, descriptor.start(k), descriptor.start(k + 1));
}

template <class M, class T>
void reduce_chunk(const void* operand, const SegmentDescriptor& descriptor, const Chunk& chunk, void* results,
                  ReduceKernels::Edges& edges, bool stream, std::ptrdiff_t ahead) {
  const T* a = static_cast<const T*>(operand);
  T* result = static_cast<T*>(results);
  edges.chunk = chunk;
  edges.count = 0;
  int64_t first = chunk.segment_begin;  // the first segment that begins in the chunk
  if (continues(descriptor, chunk)) {
    const bool ends = chunk.segment_begin < chunk.segment_end;
    const int64_t end = ends ? descriptor.start(chunk.segment_begin + 1) : chunk.element_end;
    edges.count = fold_blocks<M>(a + chunk.element_begin, end - chunk.element_begin, edges.blocks);
    if (!ends) return;
    ++first;
  }
  reduce_segments<M>(a, descriptor, first, chunk.segment_end, result, stream, ahead);
  if (stream) stream_fence();
  const int64_t open = descriptor.start(chunk.segment_end);
  edges.tail = to_slot(fold_segment<M>(a + open, chunk.element_end - open));
}

template <class M, class T>
void join_chunks(const SegmentDescriptor& descriptor, const ReduceKernels::Edges* edges, int64_t chunks,
                 void* results) {
  T* result = static_cast<T*>(results);
  T before = M::template identity<T>();
  for (int64_t p = 0; p < chunks; ++p) {
    const Chunk& chunk = edges[p].chunk;
    if (continues(descriptor, chunk)) {
      for (int64_t k = 0; k < edges[p].count; ++k)
        before = M::template combine<T>(from_slot<T>(edges[p].blocks[k]), before);
      if (chunk.segment_begin == chunk.segment_end) continue;
      result[chunk.segment_begin] = before;
    }
    before = from_slot<T>(edges[p].tail);
  }
}

}  // namespace

void add_reduce(Kernels& kernels) {
  for_each_monoid([&]<class M, class T>() {
    kernels.reduce.chunks.at(M::kMonoid, vcode::kElemTypeOf<T>) = reduce_chunk<M, T>;
    kernels.reduce.join.at(M::kMonoid, vcode::kElemTypeOf<T>) = join_chunks<M, T>;
  });
}

}  // namespace cvl::cpu::CVL_ISA
