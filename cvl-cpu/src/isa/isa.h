#pragma once

/// Names and vectors that all loops use. Every file in this folder is compiled once per instruction set, whose name
/// CVL_ISA is; everything a file defines is in the namespace of that name, so that the linker cannot merge
/// functions of different instruction sets.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/check.h"
#include "cvl/dispatch.h"
#include "kernels/kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#ifndef CVL_ISA
#error "CVL_ISA must name the instruction set"
#endif

/// Asserts that the iterations of the next loop are independent, though result and operands may be the
/// same vector.
#if defined(__clang__)
#define CVL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define CVL_INDEPENDENT _Pragma("GCC ivdep")
#endif

/// For loops that move single elements, which are bound by the number of instructions: a third of these are overhead of
/// the loop.
#define CVL_UNROLL _Pragma("GCC unroll 8")

namespace cvl::cpu::CVL_ISA {

using std::int64_t;
using vcode::Storage;

/// Each is defined in the file of its name and fills that member of Kernels.
void add_arg_reduce(Kernels& kernels);
void add_dist(Kernels& kernels);
void add_elementwise(Kernels& kernels);
void add_functions(Kernels& kernels);
void add_gather(Kernels& kernels);
void add_lengths(Kernels& kernels);
void add_pack(Kernels& kernels);
void add_random(Kernels& kernels);
void add_range(Kernels& kernels);
void add_rank(Kernels& kernels);
void add_reduce(Kernels& kernels);
void add_scan(Kernels& kernels);
void add_scatter(Kernels& kernels);
void add_tile(Kernels& kernels);

/// Vectors are cache lines on every instruction set (the compiler splits them where registers are shorter), so that
/// floats are associated in the same way everywhere.
inline constexpr int kVectorBytes = 64;
template <class T>
inline constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));
template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(kVectorBytes)));
};
template <>
struct VectorOf<bool> {
  typedef std::uint8_t type __attribute__((vector_size(kVectorBytes)));
};
template <class T>
using Vector = typename VectorOf<T>::type;

template <class V>
inline V load(const void* p) {
  V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class V>
inline void store(void* p, V v) {
  std::memcpy(p, &v, sizeof v);
}

/// An element in a Slot and back.
template <class T>
inline Slot to_slot(T value) {
  Slot slot = 0;
  std::memcpy(&slot, &value, sizeof value);
  return slot;
}
template <class T>
inline T from_slot(Slot slot) {
  T value;
  std::memcpy(&value, &slot, sizeof value);
  return value;
}

/// Writes 64 bytes to an address aligned to 64 by non-temporal stores. Another thread may read them only after
/// stream_fence().
inline void stream_line(void* to, const void* from) {
#if defined(__AVX512F__)
  _mm512_stream_si512(static_cast<__m512i*>(to), _mm512_loadu_si512(from));
#elif defined(__AVX2__)
  for (int k = 0; k < 2; ++k)
    _mm256_stream_si256(static_cast<__m256i*>(to) + k, _mm256_loadu_si256(static_cast<const __m256i*>(from) + k));
#elif defined(__x86_64__)
  for (int k = 0; k < 4; ++k)
    _mm_stream_si128(static_cast<__m128i*>(to) + k, _mm_loadu_si128(static_cast<const __m128i*>(from) + k));
#else
  std::memcpy(to, from, 64);
#endif
}
inline void stream_fence() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

/// memcpy by non-temporal stores; `to` is aligned to 64.
inline void stream_copy(void* to, const void* from, std::size_t bytes) {
  VC_CHECK(bytes < 64 || reinterpret_cast<std::uintptr_t>(to) % 64 == 0);
  auto* t = static_cast<char*>(to);
  auto* f = static_cast<const char*>(from);
  std::size_t k = 0;
  for (; k + 64 <= bytes; k += 64) stream_line(t + k, f + k);
  if (k < bytes) std::memcpy(t + k, f + k, bytes - k);
}

}  // namespace cvl::cpu::CVL_ISA
