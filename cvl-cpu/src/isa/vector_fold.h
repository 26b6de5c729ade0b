#pragma once

/// The accumulation of a range of elements, with the grouping of fold_order.h on every instruction set.

#include "cvl/fold_order.h"
#include "isa/flag_bits.h"
#include "isa/isa.h"

namespace cvl::cpu::CVL_ISA {

/// The lanes of a combined with those of b.
template <class M, class T>
[[gnu::always_inline]] inline Vector<T> combined(const Vector<T>& a, const Vector<T>& b) {
  return by_registers([](Register<T> x, Register<T> y) { return M::template combine<Register<T>>(x, y); }, a, b);
}

#if defined(__AVX2__) && !defined(__AVX512F__)

/// A register with the first n of its elements at `a`, if n is not negative, and the identity element in the other
/// lanes.
template <class M, class T>
inline Register<T> load_register_part(const T* a, MaskOf<T> n) {
  using Mask = Register<MaskOf<T>>;
  Mask numbers;
  for (int j = 0; j < kRegisterLanes<T>; ++j) numbers[j] = MaskOf<T>(j);
  const Mask present = numbers < n;
  Register<T> v;
  if constexpr (sizeof(T) == 8)
    v = (Register<T>)_mm256_maskload_epi64(reinterpret_cast<const long long*>(a), (__m256i)present);
  else
    v = (Register<T>)_mm256_maskload_epi32(reinterpret_cast<const int*>(a), (__m256i)present);
  constexpr T identity = M::template identity<T>();
  return identity == T(0) ? v : present ? v : Register<T>{} + identity;
}

#endif

/// Vector of n < kLanes elements, with the identity element in the other lanes.
template <class M, class T>
inline Vector<T> load_part(const T* a, int64_t n) {
#if defined(__AVX512F__)
  const auto identity = (__m512i)splat<T>(M::template identity<T>());
  const std::uint64_t present = (std::uint64_t(1) << n) - 1;
  if constexpr (sizeof(T) == 8)
    return (Vector<T>)_mm512_mask_loadu_epi64(identity, __mmask8(present), a);
  else if constexpr (sizeof(T) == 4)
    return (Vector<T>)_mm512_mask_loadu_epi32(identity, __mmask16(present), a);
  else
    return (Vector<T>)_mm512_mask_loadu_epi8(identity, __mmask64(present), a);
#else
#if defined(__AVX2__)
  if constexpr (sizeof(T) >= 4) {
    Vector<T> v;
    for (int p = 0; p < v.kParts; ++p)
      v.parts[p] = load_register_part<M>(a + p * kRegisterLanes<T>, MaskOf<T>(n) - p * kRegisterLanes<T>);
    return v;
  }
#endif
  alignas(64) T lanes[kLanes<T>];
  for (int j = 0; j < kLanes<T>; ++j) lanes[j] = j < n ? a[j] : M::template identity<T>();
  return load<Vector<T>>(lanes);
#endif
}

/// Combines the halves of a vector until it fits a register.
template <class M, class T>
inline Register<T> narrowed(const Vector<T>& v) {
#if defined(__AVX512F__)
  return v;
#else
  Vector<T> x = v;
  for (int half = kRegistersOfVector / 2; half > 0; half /= 2)
    for (int p = 0; p < half; ++p) x.parts[p] = M::template combine<Register<T>>(x.parts[p], x.parts[p + half]);
  return x.parts[0];
#endif
}

/// Combines the halves of the lanes of a register until one is left.
template <class M, class T, int kHalf = kRegisterLanes<T> / 2>
inline T fold_register(Register<T> v) {
  if constexpr (kHalf == 0)
    return T(v[0]);
  else
    return fold_register<M, T, kHalf / 2>(
        M::template combine<Register<T>>(v, rotated<kHalf>(v, LaneNumbers<LaneOf<T>>())));
}

template <class M, class T>
inline T fold_lanes(const Vector<T>& v) {
  return fold_register<M, T>(narrowed<M, T>(v));
}

template <class M, class T>
inline Vector<T> combine_sums(const Vector<T>* sums) {
  return combined<M, T>(combined<M, T>(sums[0], sums[1]), combined<M, T>(sums[2], sums[3]));
}

/// Accumulations of a block in each lane, before lanes are combined.
template <class M, class T>
inline Vector<T> fold_to_lanes(const T* a, int64_t n) {
  using V = Vector<T>;
  constexpr int64_t kStep = kLanes<T>;
  V sums[4];
  for (V& s : sums) s = splat<T>(M::template identity<T>());
  int64_t e = 0;
  for (; e + 4 * kStep <= n; e += 4 * kStep)
    for (int k = 0; k < 4; ++k) sums[k] = combined<M, T>(load<V>(a + e + k * kStep), sums[k]);
  int k = 0;
  for (; e + kStep <= n; e += kStep, ++k) sums[k] = combined<M, T>(load<V>(a + e), sums[k]);
  if (e < n) sums[k] = combined<M, T>(load_part<M>(a + e, n - e), sums[k]);
  return combine_sums<M, T>(sums);
}

/// Accumulation of truth values, 64 at a time; their order does not matter.
template <class M>
inline bool fold_flags(const bool* a, int64_t n) {
  const auto* flags = reinterpret_cast<const std::uint8_t*>(a);
  constexpr std::uint64_t kIdentity = M::template identity<bool>() ? ~std::uint64_t{0} : 0;
  std::uint64_t sum = kIdentity;
  int64_t e = 0;
  for (; e + 64 <= n; e += 64) sum = M::template combine<std::uint64_t>(flag_bits(flags + e), sum);
  if (e < n) {
    const std::uint64_t absent = ~std::uint64_t{0} << (n - e);
    sum = M::template combine<std::uint64_t>(flag_bits(flags + e, n - e) | (kIdentity & absent), sum);
  }
  for (int half = 32; half > 0; half /= 2) sum = M::template combine<std::uint64_t>(sum, sum >> half);
  return sum & 1;
}

/// Accumulation of a block or, where the monoid does not round, of any number of elements.
template <class M, class T>
inline T fold(const T* a, int64_t n) {
  static_assert(kFoldLanes<T> == kLanes<T> || !kRounds<M, T>);
  if constexpr (std::is_same_v<T, bool>)
    return fold_flags<M>(a, n);
  else
    return fold_lanes<M, T>(fold_to_lanes<M>(a, n));
}

/// Calls blocks(fold) with the fold of each block of a segment's elements. The elements begin with a block.
template <class M, class T, class Blocks>
inline void for_each_block(const T* a, int64_t n, Blocks&& blocks) {
  const int64_t step = kRounds<M, T> ? kFoldBlock : n;
  for (int64_t e = 0; e < n; e += step) blocks(fold<M>(a + e, e + step < n ? step : n - e));
}

/// Accumulation of a whole segment.
template <class M, class T>
inline T fold_segment(const T* a, int64_t n) {
  if (!kRounds<M, T> || n <= kFoldBlock) return fold<M>(a, n);
  T sum = M::template identity<T>();
  for_each_block<M>(a, n, [&](T block) { sum = M::template combine<T>(block, sum); });
  return sum;
}

/// See ScanKernels::FoldBlocks.
template <class M, class T>
inline int64_t fold_blocks(const T* a, int64_t n, Slot* blocks) {
  int64_t count = 0;
  for_each_block<M>(a, n, [&](T block) { blocks[count++] = to_slot(block); });
  return count;
}

}  // namespace cvl::cpu::CVL_ISA
