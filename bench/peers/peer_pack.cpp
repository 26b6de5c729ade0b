#include <vector>

#include "peers/peers.h"
#include "peers/segments.h"
#include "peers/simd.h"

namespace peers {
namespace {

std::int64_t count(const bool* f, std::int64_t n) {
  std::int64_t total = 0;
  std::int64_t e = 0;
#if defined(__AVX512BW__)
  for (; e + 64 <= n; e += 64) {
    const __m512i flags = _mm512_loadu_si512(f + e);
    total += _mm_popcnt_u64(_mm512_test_epi8_mask(flags, flags));
  }
#endif
  for (; e < n; ++e) total += f[e];
  return total;
}

/// Packs a[0..n) to r, which has room for exactly the kept elements.
template <class T>
void compress(const T* a, const bool* f, std::int64_t n, T* r, [[maybe_unused]] T* r_end) {
  std::int64_t e = 0;
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__)
  for (; e + kLanes<T> <= n && r + kLanes<T> <= r_end; e += kLanes<T>) {
    const __m512i v = _mm512_loadu_si512(a + e);
    if constexpr (sizeof(T) == 4) {
      const __m128i flags = _mm_loadu_si128(reinterpret_cast<const __m128i*>(f + e));
      const __mmask16 keep = _mm_test_epi8_mask(flags, flags);
      _mm512_storeu_si512(r, _mm512_maskz_compress_epi32(keep, v));
      r += _mm_popcnt_u32(keep);
    } else {
      const __m128i flags = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(f + e));
      const __mmask8 keep = __mmask8(_mm_test_epi8_mask(flags, flags));
      _mm512_storeu_si512(r, _mm512_maskz_compress_epi64(keep, v));
      r += _mm_popcnt_u32(keep);
    }
  }
#endif
  for (; e < n && r < r_end; ++e) {
    *r = a[e];
    r += f[e];
  }
}

}  // namespace

template <class T>
std::int64_t pack(Team& team, const T* a, const bool* f, const Segments& segments, T* r, std::int32_t* lengths) {
  const std::int64_t n = segments.elements;
  std::vector<std::int64_t> at(std::size_t(n / kGrain + 2), 0);  // number of elements kept before each chunk
  struct Part {
    std::int64_t segment = -1;
    std::int64_t kept = 0;
  };
  std::vector<Part> parts(at.size());
  if (segments.offsets != nullptr)
    team.for_chunks(segments.count, kGrain, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k)
        if (segments.offsets[k] == segments.offsets[k + 1]) lengths[k] = 0;
    });
  team.for_chunks(n, kGrain, [&](std::int64_t c, std::int64_t begin, std::int64_t end) {
    std::int64_t total = 0;
    for_segments(segments, begin, end, [&](std::int64_t k, std::int64_t from, std::int64_t to) {
      const std::int64_t kept = count(f + from, to - from);
      if (start_of(segments, k) == from)
        lengths[k] = std::int32_t(kept);
      else
        parts[std::size_t(c)] = {k, kept};
      total += kept;
    });
    at[std::size_t(c) + 1] = total;
  });
  for (std::size_t c = 1; c < at.size(); ++c) at[c] += at[c - 1];
  for (const Part& part : parts)
    if (part.segment >= 0) lengths[part.segment] += std::int32_t(part.kept);
  team.for_chunks(n, kGrain, [&](std::int64_t c, std::int64_t begin, std::int64_t end) {
    compress(a + begin, f + begin, end - begin, r + at[std::size_t(c)], r + at[std::size_t(c) + 1]);
  });
  return at.back();
}

#define CVL_PEERS(T) template std::int64_t pack<T>(Team&, const T*, const bool*, const Segments&, T*, std::int32_t*);
CVL_PEERS(std::int32_t)
CVL_PEERS(float)
CVL_PEERS(double)
#undef CVL_PEERS

}  // namespace peers
