#pragma once

/// Exclusive scans in registers, of 64 elements at a time or of a vector at a time.

#include "isa/vector_fold.h"

namespace cvl::cpu::CVL_ISA {

inline constexpr int kGroup = kScanGroup;

/// With kFold, accumulates the groups that are scanned, with the association of fold().
template <class M, class T, bool kFold>
struct GroupFold {
  void add(const T*) {}
};
template <class M, class T>
struct GroupFold<M, T, true> {
  void add(const T* a) {
    for (int k = 0; k < kGroup; k += kLanes<T>) add_vector(load<Vector<T>>(a + k), k / kLanes<T>);
  }
  void add_vector(Vector<T> a, int64_t k) {
    Vector<T>& sum = sums[k % 4];
    sum = combined<M, T>(a, sum);
  }
  T total() const { return fold_lanes<M, T>(combine_sums<M, T>(sums)); }

  Vector<T> sums[4] = {splat<T>(M::template identity<T>()), splat<T>(M::template identity<T>()),
                       splat<T>(M::template identity<T>()), splat<T>(M::template identity<T>())};
};

#if defined(__AVX512F__)

/// Types of vector registers with lanes of T; truth values are computed as 32-bit integers.
template <class T>
struct Lanes {
  using V = Vector<T>;
  static constexpr int kCount = kLanes<T>;
  static V get(const T* p) { return load<V>(p); }
  static void put(T* p, V v) { store(p, v); }
  static void put_past_cache(T* p, V v) { _mm512_stream_si512((__m512i*)p, (__m512i)v); }
};
template <>
struct Lanes<bool> {
  using V = Vector<std::int32_t>;
  static constexpr int kCount = 16;
  static V get(const bool* p) { return (V)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i*)p)); }
  static void put(bool* p, V v) { _mm_storeu_si128((__m128i*)p, _mm512_cvtepi32_epi8((__m512i)v)); }
  static void put_past_cache(bool* p, V v) { _mm_stream_si128((__m128i*)p, _mm512_cvtepi32_epi8((__m512i)v)); }
};

/// A scan in vector registers, in log2(lanes) steps. A step combines each lane with the one 1, 2, 4, … lanes before it,
/// unless a segment begins between them (Hillis and Steele; Chatterjee, Blelloch and Zagha, "Scan primitives for vector
/// computers", 1990).
template <class M, class T, bool kFold = false>
class GroupScan : public GroupFold<M, T, kFold> {
  using L = Lanes<T>;
  using V = typename L::V;
  static constexpr int kCount = L::kCount;
  using Mask = std::conditional_t<kCount == 16, __mmask16, __mmask8>;
  using E = std::conditional_t<std::is_same_v<T, bool>, std::int32_t, T>;

 public:
  explicit GroupScan(T before) : carry_(V{} + E(before)) {}
  T carry() const { return T(carry_[0]); }

  template <bool kStream>
  void scan(const T* a, T* result, std::uint64_t heads) {
    this->add(a);
    if (heads == 0)
      scan_vectors<false, kStream>(a, result, 0);
    else
      scan_vectors<true, kStream>(a, result, heads);
  }

  /// Exclusive scan of the next vector, in which no segment begins, with the grouping of fold_order.h.
  V next(V a) { return close(combine_lanes(a, Mask(~1), Mask(~3), Mask(~15), Mask(~255))); }

 private:
  template <bool kHeads, bool kStream>
  void scan_vectors(const T* a, T* result, std::uint64_t heads) {
    // First lanes of the vectors of the group. The masks step1 to step8 select the lanes that each step combines.
    constexpr std::uint64_t kFirstLanes = kCount == 16 ? 0x0001000100010001u : 0x0101010101010101u;
    const std::uint64_t step1 = ~heads & ~kFirstLanes;
    const std::uint64_t step2 = step1 & step1 << 1;
    const std::uint64_t step4 = step2 & step2 << 2;
    const std::uint64_t step8 = step4 & step4 << 4;
    const V identity = V{} + E(M::template identity<T>()), empty_value = V{} + E(M::template empty_value<T>());
    for (int k = 0; k < kGroup; k += kCount) {
      const V before = carry_;
      const Mask head = kHeads ? Mask(heads >> k) : Mask(0);
      const V x = combine_lanes(L::get(a + k), Mask(step1 >> k), Mask(step2 >> k), Mask(step4 >> k), Mask(step8 >> k));
      V out;
      if constexpr (kHeads) {
        // Lanes before the first head continue the segment of the preceding vector.
        const Mask open = Mask((unsigned(head) - 1) & ~unsigned(head));
        const V with_before = M::template combine<V>(x, select(open, before, identity));
        out = select(head, empty_value, shift_in(with_before, before));
        carry_ = broadcast_last(with_before);
      } else {
        out = close(x);
      }
      if constexpr (kStream)
        L::put_past_cache(result + k, out);
      else
        L::put(result + k, out);
    }
  }

  /// Inclusive scan within a vector; the masks select the lanes that each step combines.
  static V combine_lanes(V a, Mask step1, Mask step2, Mask step4, [[maybe_unused]] Mask step8) {
    const V identity = V{} + E(M::template identity<T>());
    V x = M::kSelects ? M::template combine<V>(a, identity) : a;  // NaN is not selected
    x = step<1>(x, identity, step1);
    x = step<2>(x, identity, step2);
    x = step<4>(x, identity, step4);
    if constexpr (kCount == 16) x = step<8>(x, identity, step8);
    return x;
  }
  /// Exclusive scan, from the inclusive scan of a vector in which no segment begins.
  V close(V x) {
    const V before = carry_;
    carry_ = M::template combine<V>(broadcast_last(x), before);
    return shift_in(M::template combine<V>(x, before), before);
  }

  /// Combines lane j with lane j - distance, for the lanes j in `taking`.
  template <int distance>
  static V step(V x, V identity, Mask taking) {
    V moved;
    if constexpr (kCount == 16)
      moved = (V)_mm512_mask_permutexvar_epi32(
          (__m512i)identity, taking,
          _mm512_sub_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
                           _mm512_set1_epi32(distance)),
          (__m512i)x);
    else
      moved = (V)_mm512_mask_permutexvar_epi64(
          (__m512i)identity, taking,
          _mm512_sub_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64(distance)), (__m512i)x);
    return M::template combine<V>(x, moved);
  }
  static V select(Mask mask, V yes, V no) {
    if constexpr (kCount == 16)
      return (V)_mm512_mask_blend_epi32(mask, (__m512i)no, (__m512i)yes);
    else
      return (V)_mm512_mask_blend_epi64(mask, (__m512i)no, (__m512i)yes);
  }
  static V broadcast_last(V x) {
    if constexpr (kCount == 16)
      return (V)_mm512_permutexvar_epi32(_mm512_set1_epi32(15), (__m512i)x);
    else
      return (V)_mm512_permutexvar_epi64(_mm512_set1_epi64(7), (__m512i)x);
  }
  /// The lanes of x shifted up by one, with the last lane of `before` in lane 0.
  static V shift_in(V x, V before) {
    if constexpr (kCount == 16)
      return (V)_mm512_alignr_epi32((__m512i)x, (__m512i)before, 15);
    else
      return (V)_mm512_alignr_epi64((__m512i)x, (__m512i)before, 7);
  }

  V carry_;  ///< the accumulation so far, in every lane
};

#else

/// A scan element by element.
template <class M, class T, bool kFold = false>
class ElementScan : public GroupFold<M, T, kFold> {
 public:
  explicit ElementScan(T before) : carry_(before) {}
  T carry() const { return carry_; }

  template <bool kStream>
  void scan(const T* a, T* result, std::uint64_t heads) {
    this->add(a);
    alignas(64) T out[kGroup];
    T carry = carry_;
    if (heads == 0) {
      for (int k = 0; k < kGroup; ++k) {
        const T x = a[k];
        out[k] = carry;
        carry = M::template combine<T>(x, carry);
      }
    } else {
      for (int k = 0; k < kGroup; ++k) {
        const T x = a[k];
        const bool head = heads >> k & 1;
        out[k] = head ? M::template empty_value<T>() : carry;
        carry = M::template combine<T>(x, head ? M::template identity<T>() : carry);
      }
    }
    carry_ = carry;
    if constexpr (kStream)
      stream_copy(result, out, sizeof out);
    else
      std::memcpy(result, out, sizeof out);
  }

  /// Exclusive scan of the next vector, in which no segment begins, with the grouping of fold_order.h.
  Vector<T> next(Vector<T> a) {
    T x[kLanes<T>], out[kLanes<T>];
    store(x, a);
    if constexpr (kRounds<M, T>) {
      for (int distance = 1; distance < kLanes<T>; distance *= 2)
        for (int k = kLanes<T> - 1; k >= distance; --k) x[k] = M::template combine<T>(x[k], x[k - distance]);
      const T before = carry_;
      out[0] = before;
      for (int k = 1; k < kLanes<T>; ++k) out[k] = M::template combine<T>(x[k - 1], before);
      carry_ = M::template combine<T>(x[kLanes<T> - 1], before);
    } else {
      for (int k = 0; k < kLanes<T>; ++k) {
        out[k] = carry_;
        carry_ = M::template combine<T>(x[k], carry_);
      }
    }
    return load<Vector<T>>(out);
  }

 private:
  T carry_;
};

#if defined(__AVX2__)

/// The lanes of x moved up by kDistance, behind the last lanes of `before`.
template <int kDistance, class T>
[[gnu::always_inline]] inline Registers<T> moved_up(const Registers<T>& x, Register<T> before) {
  constexpr int kWhole = kDistance / kRegisterLanes<T>;
  constexpr int kBytes = kDistance % kRegisterLanes<T> * static_cast<int>(sizeof(T));
  static_assert(kBytes <= 16);
  const auto part = [&](int p) { return (__m256i)(p >= 0 ? x.parts[p] : before); };
  Registers<T> moved;
  for (int p = 0; p < x.kParts; ++p) {
    const __m256i high = part(p - kWhole);
    const __m256i middle = _mm256_permute2x128_si256(part(p - kWhole - 1), high, 0x21);
    moved.parts[p] = (Register<T>)(kBytes == 0    ? high
                                   : kBytes == 16 ? middle
                                                  : _mm256_alignr_epi8(high, middle, 16 - kBytes % 16));
  }
  return moved;
}

/// The scan of AVX-512 above, with vectors that are several registers.
template <class M, class T, bool kFold = false>
class RegisterScan : public GroupFold<M, T, kFold> {
  using V = Registers<T>;
  using Flags = Registers<MaskOf<T>>;
  static constexpr int kCount = kLanes<T>;

 public:
  explicit RegisterScan(T before) : carry_(splat(before)) {}
  T carry() const { return carry_.parts[0][0]; }

  template <bool kStream>
  void scan(const T* a, T* result, std::uint64_t heads) {
    this->add(a);
    for (int k = 0; k < kGroup; k += kCount) {
      const V x = load<V>(a + k);
      const V out = heads == 0 ? next(x) : next(x, static_cast<std::uint32_t>(heads >> k) & ((1u << kCount) - 1));
      if constexpr (kStream)
        stream_vector(result + k, out);
      else
        store(result + k, out);
    }
  }

  /// Exclusive scan of the next vector, in which no segment begins, with the grouping of fold_order.h.
  [[gnu::always_inline]] V next(const V& a) {
    const Register<T> identity = Register<T>{} + M::template identity<T>();
    V x = begun(a);
    x = combined<M, T>(x, moved_up<1>(x, identity));
    x = combined<M, T>(x, moved_up<2>(x, identity));
    x = combined<M, T>(x, moved_up<4>(x, identity));
    if constexpr (kCount == 16) x = combined<M, T>(x, moved_up<8>(x, identity));
    const V before = carry_;
    const V with_before = combined<M, T>(x, before);
    carry_ = combined<M, T>(last_of(x), before);
    return moved_up<1>(with_before, before.parts[0]);
  }

 private:
  /// Exclusive scan of the next vector; segments begin at the lanes in `heads`.
  [[gnu::always_inline]] V next(const V& a, std::uint32_t heads) {
    const std::uint32_t step1 = ~heads & ~1u, step2 = step1 & step1 << 1, step4 = step2 & step2 << 2;
    V x = begun(a);
    x = step<1>(x, step1);
    x = step<2>(x, step2);
    x = step<4>(x, step4);
    if constexpr (kCount == 16) x = step<8>(x, step4 & step4 << 4);
    // Lanes before the first head continue the segment of the preceding vector.
    const V before = carry_,
            with_before = combined<M, T>(x, select(lanes_in((heads - 1) & ~heads), before, identity()));
    carry_ = last_of(with_before);
    return select(lanes_in(heads), splat(M::template empty_value<T>()), moved_up<1>(with_before, before.parts[0]));
  }

  static V identity() { return splat(M::template identity<T>()); }
  /// Combines lane j with lane j - distance, for the lanes j in `taking`.
  template <int distance>
  [[gnu::always_inline]] static V step(const V& x, std::uint32_t taking) {
    return combined<M, T>(x, select(lanes_in(taking), moved_up<distance>(x, x.parts[0]), identity()));
  }
  static V begun(const V& a) {
    if constexpr (M::kSelects)
      return combined<M, T>(a, identity());  // NaN is not selected
    else
      return a;
  }
  static V last_of(const V& x) { return splat(T(x.parts[V::kParts - 1][kRegisterLanes<T> - 1])); }
  static V select(const Flags& flags, const V& a, const V& b) {
    return by_registers([](auto flag, Register<T> x, Register<T> y) { return flag ? x : y; }, flags, a, b);
  }
  static Flags lanes_in(std::uint32_t bits) {
    using I = MaskOf<T>;
    Flags flags;
    for (int p = 0; p < flags.kParts; ++p) {
      Register<I> lanes;
      for (int j = 0; j < kRegisterLanes<T>; ++j) lanes[j] = I(1) << (p * kRegisterLanes<T> + j);
      flags.parts[p] = ((Register<I>{} + I(bits)) & lanes) == lanes;
    }
    return flags;
  }

  V carry_;  ///< the accumulation so far, in every lane
};

template <class M, class T, bool kFold = false>
using GroupScan = std::conditional_t<(sizeof(T) > 1), RegisterScan<M, T, kFold>, ElementScan<M, T, kFold>>;

#else

template <class M, class T, bool kFold = false>
using GroupScan = ElementScan<M, T, kFold>;

#endif
#endif

}  // namespace cvl::cpu::CVL_ISA
