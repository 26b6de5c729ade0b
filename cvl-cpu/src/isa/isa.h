#pragma once

/// Names and vector types that all loops use. Every file in this folder is compiled once per instruction set, with
/// CVL_ISA as its name; all definitions are in the namespace of that name, so that the linker cannot merge functions of
/// different instruction sets.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "cvl/dispatch.h"
#include "kernels/kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#ifndef CVL_ISA
#error "CVL_ISA must name the instruction set"
#endif

/// Asserts that the iterations of the next loop are independent, though the result may overwrite an operand.
#if defined(__clang__)
#define CVL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define CVL_INDEPENDENT _Pragma("GCC ivdep")
#endif

/// Unrolls loops that move single elements. They are bound by the number of instructions, a third of which are overhead
/// of the loop.
#define CVL_UNROLL _Pragma("GCC unroll 8")

namespace cvl::cpu::CVL_ISA {

using std::int64_t;
using vcode::Storage;

/// Each function is defined in the file of its name and fills that member of Kernels.
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

/// Size of a vector: a cache line on every instruction set, so that floats are associated in the same way everywhere.
inline constexpr int kVectorBytes = 64;
template <class T>
inline constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));

/// Size of a vector register.
#if defined(__AVX512F__)
inline constexpr int kRegisterBytes = 64;
#elif defined(__AVX2__)
inline constexpr int kRegisterBytes = 32;
#else
inline constexpr int kRegisterBytes = 16;
#endif

/// The type of a lane for elements of type T.
template <class T>
using LaneOf = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
/// A signed integer of the size of T. Comparisons of registers give lanes of it, 0 or -1.
template <class T>
using MaskOf = std::conditional_t<
    sizeof(T) == 8, int64_t,
    std::conditional_t<sizeof(T) == 4, std::int32_t, std::conditional_t<sizeof(T) == 2, std::int16_t, std::int8_t>>>;

template <class T>
struct RegisterOf {
  typedef T type __attribute__((vector_size(kRegisterBytes)));
};
/// A register with lanes of T.
template <class T>
using Register = typename RegisterOf<LaneOf<T>>::type;
template <class T>
inline constexpr int kRegisterLanes = kRegisterBytes / static_cast<int>(sizeof(T));

inline constexpr int kRegistersOfVector = kVectorBytes / kRegisterBytes;

#if defined(__AVX512F__)

template <class T>
using Vector = Register<T>;

/// f of the registers of vectors, register by register.
template <class F, class... V>
[[gnu::always_inline]] inline auto by_registers(F&& f, const V&... v) {
  return f(v...);
}

/// The same number in all lanes.
template <class T>
[[gnu::always_inline]] inline Vector<T> splat(T value) {
  return Vector<T>{} + LaneOf<T>(value);
}

#else

/// A vector of kVectorBytes in several registers. GCC has vector types that are longer than a register, but keeps them
/// in memory and compares them one element after the other.
template <class T>
struct Registers {
  static constexpr int kParts = kRegistersOfVector;
  Register<T> parts[kParts];
};

/// A vector with lanes of T.
template <class T>
using Vector = Registers<LaneOf<T>>;

/// f of the registers of vectors, register by register.
template <class F, class... T>
[[gnu::always_inline]] inline auto by_registers(F&& f, const Registers<T>&... v) {
  using R = decltype(f(v.parts[0]...));
  Registers<std::remove_cvref_t<decltype(R{}[0])>> result;
  for (int p = 0; p < kRegistersOfVector; ++p) result.parts[p] = f(v.parts[p]...);
  return result;
}

/// The same number in all lanes.
template <class T>
[[gnu::always_inline]] inline Vector<T> splat(T value) {
  Vector<T> v;
  for (auto& part : v.parts) part = Register<T>{} + LaneOf<T>(value);
  return v;
}

#endif

/// A load or store register by register: copying several at once would go through other registers, in other widths.
template <class V>
[[gnu::always_inline]] inline V load(const void* p) {
  V v;
  if constexpr (requires { v.parts; })
    for (int part = 0; part < kRegistersOfVector; ++part)
      std::memcpy(&v.parts[part], static_cast<const char*>(p) + part * kRegisterBytes, kRegisterBytes);
  else
    std::memcpy(&v, p, sizeof v);
  return v;
}
template <class V>
[[gnu::always_inline]] inline void store(void* p, const V& v) {
  if constexpr (requires { v.parts; })
    for (int part = 0; part < kRegistersOfVector; ++part)
      std::memcpy(static_cast<char*>(p) + part * kRegisterBytes, &v.parts[part], kRegisterBytes);
  else
    std::memcpy(p, &v, sizeof v);
}

/// Groups of kGroup lanes, of x and of y by turns: the first half of each two groups of x and of y, or the second half.
template <int kGroup, bool kSecond, class R, std::size_t... lane>
[[gnu::always_inline]] inline R interleaved(R x, R y, std::index_sequence<lane...>) {
  constexpr std::size_t kPair = 2 * kGroup, kCount = sizeof...(lane);
  return __builtin_shufflevector(
      x, y, (lane / kPair * kPair + lane % kGroup + kGroup * kSecond + lane / kGroup % 2 * kCount)...);
}

/// The lanes of x moved down by kDistance, around the end.
template <int kDistance, class R, std::size_t... lane>
[[gnu::always_inline]] inline R rotated(R x, std::index_sequence<lane...>) {
  return __builtin_shufflevector(x, x, ((lane + kDistance) % sizeof...(lane))...);
}

template <class T>
using LaneNumbers = std::make_index_sequence<std::size_t{kRegisterLanes<T>}>;

/// Conversions of an element to a Slot and back.
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

/// Writes 64 bytes to an address aligned to 64 by non-temporal stores. Another thread may read the bytes only after
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
/// The same for a vector in registers.
template <class V>
[[gnu::always_inline]] inline void stream_vector(void* to, const V& v) {
#if defined(__AVX2__) && !defined(__AVX512F__)
  for (int p = 0; p < kRegistersOfVector; ++p) _mm256_stream_si256(static_cast<__m256i*>(to) + p, (__m256i)v.parts[p]);
#else
  stream_line(to, &v);
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
