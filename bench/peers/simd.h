#pragma once

#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace peers {

/// The least bytes of a loop for which non-temporal stores pay.
inline constexpr std::int64_t kStreamBytes = std::int64_t(4) << 20;
/// Elements of a chunk.
inline constexpr std::int64_t kGrain = 32768;

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
#else
inline constexpr int kVectorBytes = 32;
#endif

/// A register full of T.
template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(kVectorBytes)));
};
template <class T>
using Vector = typename VectorOf<T>::type;
template <class T>
inline constexpr int kLanes = kVectorBytes / int(sizeof(T));

template <class T>
Vector<T> load(const T* p) {
  Vector<T> v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class T>
void store(T* p, Vector<T> v) {
  std::memcpy(p, &v, sizeof v);
}
/// Non-temporal store of a register to an address aligned to its size; a plain store where the machine has none.
template <class T>
void stream(T* p, Vector<T> v) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(p), reinterpret_cast<__m512i>(v));
#elif defined(__AVX2__)
  _mm256_stream_si256(reinterpret_cast<__m256i*>(p), reinterpret_cast<__m256i>(v));
#else
  store(p, v);
#endif
}
/// Orders non-temporal stores before later stores.
inline void stream_fence() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace peers
