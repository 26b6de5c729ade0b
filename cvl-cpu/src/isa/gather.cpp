/// Reading at given places: gathers, EXTRACT, REPLACE.
///
/// Bytes moved: index, flag and result once; of the source a cache line (64 bytes) per element if the
/// indices are random, which makes this a matter of how many misses a core has under way. The indices of a
/// chunk are checked before any of its elements is fetched; the loops have no branch that depends on them.

#include <limits>

#include "spread.h"

namespace cvl::cpu::CVL_ISA {
namespace {

constexpr int64_t kChunk = 1024;

template <class I>
inline bool inside(I index, int64_t length) {
  return static_cast<std::uint64_t>(static_cast<int64_t>(index)) < static_cast<std::uint64_t>(length);
}

/// Where the elements of a chunk come from: for each the start and the length of its segment.
template <class W>
struct Origins {
  const W* bases;
  const W* lengths;
};

/// Whether an index used by a chunk, of one segment or of many, is outside. W is wide enough for all places of the
/// source.
template <class I, class W, bool kFlags, bool kSpread>
bool any_outside(W length, Origins<W> origins, const I* indices, const std::uint8_t* flags, int64_t n) {
  // Taken as unsigned, negative indices are too large.
  using U = std::make_unsigned_t<std::conditional_t<(sizeof(I) > sizeof(W)), I, W>>;
  unsigned outside = 0;
  for (int64_t e = 0; e < n; ++e) {
    const U bound = static_cast<U>(kSpread ? origins.lengths[e] : length);
    outside |= unsigned(static_cast<U>(indices[e]) >= bound) & (kFlags ? unsigned{flags[e]} : 1u);
  }
  return outside != 0;
}

/// The elements of a chunk, one by one. Without branches: whether an element is wanted is as hard to predict as where
/// it comes from. What is not wanted is read from the start of the source.
template <class T, class I, class W, bool kFlags, bool kSpread>
void fetch_each(const T* source, Origins<W> origins, const I* indices, const std::uint8_t* flags, int64_t n,
                T* result) {
  for (int64_t e = 0; e < n; ++e) {
    int64_t place = int64_t{indices[e]};
    if constexpr (kSpread) place += int64_t{origins.bases[e]};
    if constexpr (kFlags) {
      const int64_t wanted = 0 - int64_t{flags[e]};
      result[e] = static_cast<T>(source[place & wanted] & static_cast<T>(wanted));
    } else {
      result[e] = source[place];
    }
  }
}

#if defined(__AVX512F__)

inline __mmask16 low_lanes(int64_t n) { return static_cast<__mmask16>(n >= 16 ? 0xFFFF : (1u << n) - 1); }

/// 16 places of 32 bits, those of lanes not wanted being 0.
template <class T>
inline void fetch(const T* source, __m512i places, __mmask16 wanted, __mmask16 written, T* result) {
  if constexpr (sizeof(T) == 4) {
    const __m512i v = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), wanted, places, source, 4);
    _mm512_mask_storeu_epi32(result, written, v);
  } else {
    const __m512i low = _mm512_mask_i32gather_epi64(_mm512_setzero_si512(), static_cast<__mmask8>(wanted),
                                                    _mm512_castsi512_si256(places), source, 8);
    const __m512i high = _mm512_mask_i32gather_epi64(_mm512_setzero_si512(), static_cast<__mmask8>(wanted >> 8),
                                                     _mm512_extracti64x4_epi64(places, 1), source, 8);
    _mm512_mask_storeu_epi64(result, static_cast<__mmask8>(written), low);
    _mm512_mask_storeu_epi64(result + 8, static_cast<__mmask8>(written >> 8), high);
  }
}

/// As fetch_each, 16 elements at a time, for places and indices of 32 bits.
template <class T, bool kFlags, bool kSpread>
void fetch_vectors(const T* source, Origins<std::int32_t> origins, const std::int32_t* indices,
                   const std::uint8_t* flags, int64_t n, T* result) {
  for (int64_t e = 0; e < n; e += 16) {
    const __mmask16 present = low_lanes(n - e);
    const __m512i index = _mm512_maskz_loadu_epi32(present, indices + e);
    __mmask16 wanted = present;
    if constexpr (kFlags) {
      const __m128i f = _mm_maskz_loadu_epi8(present, flags + e);
      wanted = _mm_test_epi8_mask(f, f);
    }
    const __m512i places = kSpread ? _mm512_add_epi32(index, _mm512_loadu_si512(origins.bases + e)) : index;
    fetch(source, places, wanted, present, result + e);
  }
}

#endif

/// n elements from one segment, or from many. False, with nothing written, if an index used is outside. All indices are
/// looked at before anything is fetched: addresses that depend on a comparison keep fewer misses under way.
template <class T, class I, class W, bool kFlags, bool kSpread>
bool gather_run(const T* source, W length, Origins<W> origins, const I* indices, const std::uint8_t* flags, int64_t n,
                T* result) {
  if (any_outside<I, W, kFlags, kSpread>(length, origins, indices, flags, n)) return false;
#if defined(__AVX512F__)
  // Where most elements are misses of the second-level cache, single loads get more of them under way. On processors
  // that gather by micro-operations they are also faster for wide elements in many segments.
  constexpr int64_t kFarBytes = int64_t{16} << 20;
  if constexpr ((sizeof(T) == 4 || (sizeof(T) == 8 && !kSpread)) && sizeof(I) == 4 && sizeof(W) == 4)
    if (kSpread || int64_t{length} * int64_t{sizeof(T)} < kFarBytes) {
      fetch_vectors<T, kFlags, kSpread>(source, origins, indices, flags, n, result);
      return true;
    }
#endif
  fetch_each<T, I, W, kFlags, kSpread>(source, origins, indices, flags, n, result);
  return true;
}

template <class I>
IndexFault find_fault(const I* indices, const bool* flags, const SegmentMap& from, const SegmentMap& to, int64_t k,
                      int64_t begin, int64_t end) {
  for (int64_t e = begin; e < end; ++e) {
    while (to.start(k + 1) <= e) ++k;
    const int64_t length = from.start(k + 1) - from.start(k);
    if ((flags == nullptr || flags[e]) && !inside(indices[e], length)) return {e, indices[e], length};
  }
  return {};
}

/// Writes the segment's start and length for each element of a chunk, and up to a vector beyond it.
template <class W>
int64_t spread_origins(const SegmentMap& from, const SegmentMap& to, int64_t k, int64_t begin, int64_t end, W* bases,
                       W* lengths) {
  for (int64_t e = begin; e < end; ++k) {
    const int64_t next = to.start(k + 1) < end ? to.start(k + 1) : end;
    const int64_t base = from.start(k);
    const Vector<W> b = Vector<W>{} + static_cast<W>(base);
    const Vector<W> n = Vector<W>{} + static_cast<W>(from.start(k + 1) - base);
    // What lies beyond the segment is overwritten by the next.
    do {
      store(bases + (e - begin), b);
      store(lengths + (e - begin), n);
      e += kLanes<W>;
    } while (e < next);
    e = next;
  }
  return k - 1;
}

template <class T, class I, class W, bool kFlags>
IndexFault gather_piece(const T* source, const I* indices, const bool* flags, const SegmentMap& from,
                        const SegmentMap& to, const Piece& piece, T* result) {
  alignas(64) W bases[kChunk + kSpreadRoom];
  alignas(64) W lengths[kChunk + kSpreadRoom];
  int64_t k = piece.segment_begin;
  for (int64_t e = piece.element_begin; e < piece.element_end; e += kChunk) {
    const int64_t end = e + kChunk < piece.element_end ? e + kChunk : piece.element_end;
    while (to.start(k + 1) <= e) ++k;
    const int64_t first = k;
    const I* chunk = indices + e;
    const auto* chunk_flags = kFlags ? reinterpret_cast<const std::uint8_t*>(flags + e) : nullptr;
    // An element that is not there is read from the start of the source; if that is empty, nothing is.
    if (from.elements == 0) {
      const IndexFault fault = find_fault(indices, flags, from, to, first, e, end);
      if (fault.position >= 0) return fault;
      std::memset(result + e, 0, static_cast<std::size_t>(end - e) * sizeof(T));
      continue;
    }
    bool good;
    if (to.start(k + 1) >= end) {
      const int64_t base = from.start(k), length = from.start(k + 1) - base;
      good = gather_run<T, I, W, kFlags, false>(length > 0 ? source + base : source, static_cast<W>(length), {}, chunk,
                                                chunk_flags, end - e, result + e);
    } else {
      k = are_tiny(to, k, e, end) ? spread_tiny(from, to, k, e, end, bases, lengths)
                                  : spread_origins(from, to, k, e, end, bases, lengths);
      good = gather_run<T, I, W, kFlags, true>(source, 0, {bases, lengths}, chunk, chunk_flags, end - e, result + e);
    }
    if (!good) return find_fault(indices, flags, from, to, first, e, end);
  }
  return {};
}

template <class T, class I, class W>
IndexFault gather_places(const void* source, const void* indices, const bool* flags, const SegmentMap& from,
                         const SegmentMap& to, const Piece& piece, void* result) {
  const T* s = static_cast<const T*>(source);
  const I* i = static_cast<const I*>(indices);
  return flags != nullptr ? gather_piece<T, I, W, true>(s, i, flags, from, to, piece, static_cast<T*>(result))
                          : gather_piece<T, I, W, false>(s, i, flags, from, to, piece, static_cast<T*>(result));
}

template <class T, class I>
IndexFault gather(const void* source, const void* indices, const bool* flags, const SegmentMap& from,
                  const SegmentMap& to, const Piece& piece, void* result) {
  if (from.elements <= std::numeric_limits<std::int32_t>::max())
    return gather_places<T, I, std::int32_t>(source, indices, flags, from, to, piece, result);
  return gather_places<T, I, int64_t>(source, indices, flags, from, to, piece, result);
}

template <class T, class I>
IndexFault extract(const void* a, const void* indices, const SegmentMap& map, int64_t begin, int64_t end,
                   void* result) {
  const I* i = static_cast<const I*>(indices);
  for (int64_t k = begin; k < end; ++k) {
    const int64_t start = map.start(k), length = map.start(k + 1) - start;
    const I index = i[k];
    if (!inside(index, length)) return {k, index, length};
    static_cast<T*>(result)[k] = static_cast<const T*>(a)[start + index];
  }
  return {};
}

template <class T, class I>
IndexFault replace(void* a, const void* indices, const void* values, const SegmentMap& map, int64_t begin,
                   int64_t end) {
  const I* i = static_cast<const I*>(indices);
  for (int64_t k = begin; k < end; ++k) {
    const int64_t start = map.start(k), length = map.start(k + 1) - start;
    if (!inside(i[k], length)) return {k, i[k], length};
    static_cast<T*>(a)[start + i[k]] = static_cast<const T*>(values)[k];
  }
  return {};
}

/// Only the size of the elements matters.
template <class T, class I>
void add_for(GatherKernels& kernels, ElemType element) {
  const int t = int(element), i = int(vcode::kElemTypeOf<I>);
  kernels.gather[t][i] = gather<T, I>;
  kernels.extract[t][i] = extract<T, I>;
  kernels.replace[t][i] = replace<T, I>;
}

template <class I>
void add_for_index(GatherKernels& kernels) {
  add_for<std::uint8_t, I>(kernels, ElemType::kB8);
  add_for<std::uint32_t, I>(kernels, ElemType::kI32);
  add_for<std::uint32_t, I>(kernels, ElemType::kF32);
  add_for<std::uint64_t, I>(kernels, ElemType::kI64);
  add_for<std::uint64_t, I>(kernels, ElemType::kF64);
}

}  // namespace

void add_gather(Kernels& kernels) {
  add_for_index<std::int32_t>(kernels.gather);
  add_for_index<int64_t>(kernels.gather);
}

}  // namespace cvl::cpu::CVL_ISA
