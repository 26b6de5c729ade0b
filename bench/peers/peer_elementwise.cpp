#include <cmath>
#include <type_traits>

#include "peers/peers.h"
#include "peers/simd.h"

namespace peers {
namespace {

/// Number of results that are computed into the first-level cache before non-temporal stores copy them out.
constexpr std::int64_t kTile = 1024;

/// Computes r[e] = f(e). Compilers vectorise the inner loop; results that will not stay in the caches are streamed.
template <class R, class F>
void map(Team& team, R* r, std::int64_t n, std::int64_t bytes, F&& f) {
  const bool streaming = bytes > kStreamBytes && reinterpret_cast<std::uintptr_t>(r) % kVectorBytes == 0;
  team.for_chunks(n, kGrain, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    if (!streaming) {
      for (std::int64_t e = begin; e < end; ++e) r[e] = f(e);
      return;
    }
    alignas(64) R tile[kTile];
    for (std::int64_t t = begin; t < end; t += kTile) {
      const std::int64_t length = end - t < kTile ? end - t : kTile;
      for (std::int64_t e = 0; e < length; ++e) tile[e] = f(t + e);
      std::int64_t e = 0;
      for (; e + kLanes<R> <= length; e += kLanes<R>) {
        using Bits = std::conditional_t<sizeof(R) == 1, char, R>;
        stream<Bits>(reinterpret_cast<Bits*>(r + t + e), load<Bits>(reinterpret_cast<const Bits*>(tile + e)));
      }
      for (; e < length; ++e) r[t + e] = tile[e];
    }
    stream_fence();
  });
}

}  // namespace

template <class T>
void add(Team& team, const T* a, const T* b, T* r, std::int64_t n) {
  const bool streaming = 3 * n * std::int64_t(sizeof(T)) > kStreamBytes;
  team.for_chunks(n, kGrain, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    std::int64_t e = begin;
    if (streaming) {
      for (; e + kLanes<T> <= end; e += kLanes<T>) stream<T>(r + e, load(a + e) + load(b + e));
      stream_fence();
    }
    for (; e < end; ++e) r[e] = a[e] + b[e];
  });
}

template <class T>
void less(Team& team, const T* a, const T* b, bool* r, std::int64_t n) {
  map(team, r, n, n * std::int64_t(2 * sizeof(T) + 1), [=](std::int64_t e) { return a[e] < b[e]; });
}

template <class T>
void square_root(Team& team, const T* a, T* r, std::int64_t n) {
  map(team, r, n, n * std::int64_t(2 * sizeof(T)), [=](std::int64_t e) { return std::sqrt(a[e]); });
}

template <class T>
void exponential(Team& team, const T* a, T* r, std::int64_t n) {
  map(team, r, n, n * std::int64_t(2 * sizeof(T)), [=](std::int64_t e) { return std::exp(a[e]); });
}

template <class T>
void select(Team& team, const bool* f, const T* a, const T* b, T* r, std::int64_t n) {
  [[maybe_unused]] const bool streaming = n * std::int64_t(3 * sizeof(T) + 1) > kStreamBytes;
  team.for_chunks(n, kGrain, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    std::int64_t e = begin;
#if defined(__AVX512BW__) && defined(__AVX512VL__)
    for (; e + kLanes<T> <= end; e += kLanes<T>) {
      const __m512i x = _mm512_loadu_si512(a + e), y = _mm512_loadu_si512(b + e);
      __m512i chosen;
      if constexpr (sizeof(T) == 4) {
        const __m128i flags = _mm_loadu_si128(reinterpret_cast<const __m128i*>(f + e));
        chosen = _mm512_mask_blend_epi32(_mm_test_epi8_mask(flags, flags), y, x);
      } else {
        const __m128i flags = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(f + e));
        chosen = _mm512_mask_blend_epi64(__mmask8(_mm_test_epi8_mask(flags, flags)), y, x);
      }
      if (streaming)
        _mm512_stream_si512(reinterpret_cast<__m512i*>(r + e), chosen);
      else
        _mm512_storeu_si512(r + e, chosen);
    }
    stream_fence();
#endif
    for (; e < end; ++e) {
      const T both[2] = {b[e], a[e]};  // no branch on unpredictable flags
      r[e] = both[f[e]];
    }
  });
}

#define CVL_PEERS(T)                                                     \
  template void add<T>(Team&, const T*, const T*, T*, std::int64_t);     \
  template void less<T>(Team&, const T*, const T*, bool*, std::int64_t); \
  template void select<T>(Team&, const bool*, const T*, const T*, T*, std::int64_t);
CVL_PEERS(std::int32_t)
CVL_PEERS(float)
CVL_PEERS(double)
#undef CVL_PEERS
#define CVL_PEERS(T)                                               \
  template void square_root<T>(Team&, const T*, T*, std::int64_t); \
  template void exponential<T>(Team&, const T*, T*, std::int64_t);
CVL_PEERS(float)
CVL_PEERS(double)
#undef CVL_PEERS

}  // namespace peers
