/// Gathers, EXTRACT, REPLACE.
///
/// Bytes moved: index, flag and result once. Random indices cost a cache line (64 bytes) of the source per element, so
/// time depends on how many cache misses a core has in flight. The indices of a strip (see places.h) are checked before
/// any of its elements is loaded; no branch depends on an index.

#include <limits>

#include "isa/positions.h"
#include "tuning/position_tuning.h"
#include "tuning/streaming_tuning.h"

namespace cvl::cpu::CVL_ISA {
namespace {

/// Loads the elements of a strip one by one. For a false flag, the first element of the source is loaded and dropped: a
/// branch on flags would be mispredicted.
template <bool kFlags, class T, class P>
void fetch_each(const T* source, const P* positions, const std::uint8_t* flags, int64_t n, T* result) {
  CVL_UNROLL
  for (int64_t k = 0; k < n; ++k) {
    const T element = source[positions[k]];
    result[k] = kFlags && !flags[k] ? T(0) : element;
  }
}

#if defined(__AVX512F__)

/// Loads the elements of a strip by gather instructions, 16 elements at a time.
template <bool kFlags, class T>
void fetch_vectors(const T* source, const std::uint32_t* positions, const std::uint8_t* flags, int64_t n, T* result) {
  for (int64_t k = 0; k < n; k += 16) {
    const auto present = static_cast<__mmask16>(n - k >= 16 ? 0xFFFF : (1u << (n - k)) - 1);
    __mmask16 wanted = present;
    if constexpr (kFlags) {
      const __m128i f = _mm_maskz_loadu_epi8(present, flags + k);
      wanted = _mm_test_epi8_mask(f, f);
    }
    const __m512i from = _mm512_maskz_loadu_epi32(present, positions + k);
    if constexpr (sizeof(T) == 4) {
      const __m512i v = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), wanted, from, source, 4);
      _mm512_mask_storeu_epi32(result + k, present, v);
    } else {
      const __m512i low = _mm512_mask_i32gather_epi64(_mm512_setzero_si512(), static_cast<__mmask8>(wanted),
                                                      _mm512_castsi512_si256(from), source, 8);
      const __m512i high = _mm512_mask_i32gather_epi64(_mm512_setzero_si512(), static_cast<__mmask8>(wanted >> 8),
                                                       _mm512_extracti64x4_epi64(from, 1), source, 8);
      _mm512_mask_storeu_epi64(result + k, static_cast<__mmask8>(present), low);
      _mm512_mask_storeu_epi64(result + k + 8, static_cast<__mmask8>(present >> 8), high);
    }
  }
}

#endif

/// Loads the elements of a strip in the faster way.
template <bool kFlags, class T, class P>
void fetch(const T* source, const Positions<P>& positions, const std::uint8_t* flags, int64_t n, T* result) {
  source += positions.base;
#if defined(__AVX512F__)
  // Gather instructions are faster where most elements come from the second-level or third-level cache.
  if constexpr (sizeof(T) >= 4 && sizeof(P) == 4) {
    const int64_t bytes = positions.bound * int64_t{sizeof(T)};
    if (bytes >= kGatherNearBytes && bytes < kGatherFarBytes)
      return fetch_vectors<kFlags>(source, positions.offsets, flags, n, result);
  }
#endif
  fetch_each<kFlags>(source, positions.offsets, flags, n, result);
}

template <bool kFlags, class T, class I, class P>
IndexFault gather_chunk(const T* source, const Indexing<I, P>& of, const Chunk& chunk, T* result) {
  NoPositionSum sum;
  return for_positions<kFlags>(of, chunk, sum, [&](int64_t e, int64_t n, const Positions<P>& positions) {
    // Prefetch indices: checking the next strips waits for them if they come from memory.
    const auto* ahead = reinterpret_cast<const char*>(of.indices + e) + kAheadBytes;
    for (std::size_t k = 0; k < kPositions * sizeof(I); k += 64) __builtin_prefetch(ahead + k);
    if (of.positions.elements == 0)  // all flags are false, and there is no element to load
      std::memset(result + e, 0, static_cast<std::size_t>(n) * sizeof(T));
    else
      fetch<kFlags>(source, positions, kFlags ? of.flags + e : nullptr, n, result + e);
  });
}

template <class T, class I, class P>
IndexFault gather_positions(const void* source, const void* indices, const bool* flags, const SegmentDescriptor& from,
                            const SegmentDescriptor& to, const Chunk& chunk, void* result) {
  const Indexing<I, P> of{to, from, static_cast<const I*>(indices), reinterpret_cast<const std::uint8_t*>(flags), 0};
  const T* s = static_cast<const T*>(source);
  return flags != nullptr ? gather_chunk<true>(s, of, chunk, static_cast<T*>(result))
                          : gather_chunk<false>(s, of, chunk, static_cast<T*>(result));
}

template <class T, class I>
IndexFault gather(const void* source, const void* indices, const bool* flags, const SegmentDescriptor& from,
                  const SegmentDescriptor& to, const Chunk& chunk, void* result) {
  if (from.elements <= std::numeric_limits<std::int32_t>::max())
    return gather_positions<T, I, std::uint32_t>(source, indices, flags, from, to, chunk, result);
  return gather_positions<T, I, std::uint64_t>(source, indices, flags, from, to, chunk, result);
}

template <class I>
inline bool inside(I index, int64_t length) {
  return static_cast<std::uint64_t>(static_cast<int64_t>(index)) < static_cast<std::uint64_t>(length);
}

template <class T, class I>
IndexFault extract(const void* a, const void* indices, const SegmentDescriptor& descriptor, int64_t begin, int64_t end,
                   void* result) {
  const I* i = static_cast<const I*>(indices);
  for (int64_t k = begin; k < end; ++k) {
    const int64_t start = descriptor.start(k), length = descriptor.start(k + 1) - start;
    const I index = i[k];
    if (!inside(index, length)) return {k, index, length};
    static_cast<T*>(result)[k] = static_cast<const T*>(a)[start + index];
  }
  return {};
}

template <class T, class I>
IndexFault replace(void* a, const void* indices, const void* values, const SegmentDescriptor& descriptor, int64_t begin,
                   int64_t end) {
  const I* i = static_cast<const I*>(indices);
  for (int64_t k = begin; k < end; ++k) {
    const int64_t start = descriptor.start(k), length = descriptor.start(k + 1) - start;
    if (length == 0) continue;
    if (!inside(i[k], length)) return {k, i[k], length};
    static_cast<T*>(a)[start + i[k]] = static_cast<const T*>(values)[k];
  }
  return {};
}

/// The loops depend only on the size of the elements.
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
  add_for<std::uint8_t, I>(kernels, ElemType::kU8);
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
