/// Exclusive scans of segments.
///
/// Bytes moved: every element is read once and written once, and for irregular segments an offset (8 bytes) per segment
/// is read; the carries of chunks are folded while the elements enter the cache. Head flags mark the first elements of
/// segments, and 64 elements at a time are scanned with or without head flags, so the time does not depend on the
/// lengths of segments. Where the monoid rounds, segments are scanned one by one, a vector at a time.

#include "isa/each_monoid.h"
#include "isa/flag_bits.h"
#include "isa/group_scan.h"
#include "isa/vector_fold.h"
#include "tuning/loop_tuning.h"

namespace cvl::cpu::CVL_ISA {
namespace {

/// The head flags of a strip of elements, a byte each. Strips come in increasing order.
class HeadMarks {
 public:
  HeadMarks(const SegmentDescriptor& descriptor, const Chunk& chunk)
      : descriptor_(descriptor), next_(chunk.segment_begin) {
    // The last segment with elements in this chunk may end in a later one.
    last_ = chunk.segment_end < descriptor.segments ? chunk.segment_end : descriptor.segments - 1;
    if (next_ <= last_ && descriptor.start(next_) < chunk.element_begin) ++next_;
  }

  /// Computes the flags of elements [base, end), at most kMarkedAtOnce.
  void mark(int64_t base, int64_t end) {
    VC_CHECK(end - base <= kMarkedAtOnce);
    if (next_ > last_ || descriptor_.start(next_) >= end) {
      any_ = false;
      return;
    }
    any_ = true;
    std::memset(heads_, 0, static_cast<std::size_t>((end - base + kGroup - 1) / kGroup * kGroup));
    // Copies, so that the loop keeps them in registers: stores of bytes may alias any member.
    const SegmentDescriptor descriptor = descriptor_;
    const int64_t last = last_;
    int64_t k = next_;
    for (; k + 3 <= last && descriptor.start(k + 3) < end; k += 4)  // four to a test
      for (int j = 0; j < 4; ++j) heads_[descriptor.start(k + j) - base] = 1;
    for (int64_t start; k <= last && (start = descriptor.start(k)) < end; ++k) heads_[start - base] = 1;
    next_ = k;
  }

  /// The head flags of 64 elements from base + offset, as bits.
  std::uint64_t group(int64_t offset) const { return any_ ? flag_bits(heads_ + offset) : 0; }

 private:
  const SegmentDescriptor& descriptor_;
  int64_t next_, last_;  ///< segments whose heads are still to be marked
  bool any_ = false;
  static_assert(kMarkedAtOnce % kGroup == 0);
  alignas(64) std::uint8_t heads_[kMarkedAtOnce];
};

/// Scans the elements of a chunk. With kFold, returns the fold of these elements, with the association of fold();
/// otherwise the accumulation of the segment that is open at the end.
template <class M, class T, bool kStream, bool kFold>
T scan_range(const T* a, const SegmentDescriptor& descriptor, const Chunk& chunk, T before, T* result,
             std::ptrdiff_t ahead) {
  HeadMarks marks(descriptor, chunk);
  GroupScan<M, T, kFold> group(before);
  const int64_t end = chunk.element_end;
  int64_t e = chunk.element_begin;
  // Groups begin at multiples of 64 elements, so that whole groups are aligned.
  for (int64_t base = e / kGroup * kGroup; base < end; base += kMarkedAtOnce) {
    const int64_t marked_end = end - base < kMarkedAtOnce ? end : base + kMarkedAtOnce;
    marks.mark(base, marked_end);
    for (int64_t g = base; g < marked_end; g += kGroup) {
      if (ahead != 0)
        for (int64_t k = 0; k < kGroup; k += kLanes<T>)
          __builtin_prefetch(reinterpret_cast<const char*>(a + g + k) + ahead);
      const std::uint64_t heads = marks.group(g - base);
      if (g >= e && g + kGroup <= end) {
        group.template scan<kStream>(a + g, result + g, heads);
      } else {
        // The first or the last group is padded with identity elements.
        const int64_t from = g < e ? e - g : 0, to = g + kGroup < end ? kGroup : end - g;
        alignas(64) T part[kGroup];
        for (int k = 0; k < kGroup; ++k) part[k] = k >= from && k < to ? a[g + k] : M::template identity<T>();
        group.template scan<false>(part, part, heads);
        std::memcpy(result + g + from, part + from, static_cast<std::size_t>(to - from) * sizeof(T));
      }
    }
  }
  if constexpr (kFold)
    return group.total();
  else
    return group.carry();
}

/// The first n elements of a vector.
template <class T>
inline void store_part(T* to, Vector<T> v, int64_t n) {
#if defined(__AVX512F__)
  const std::uint64_t present = (std::uint64_t(1) << n) - 1;
  if constexpr (sizeof(T) == 8)
    _mm512_mask_storeu_epi64(to, __mmask8(present), (__m512i)v);
  else
    _mm512_mask_storeu_epi32(to, __mmask16(present), (__m512i)v);
#else
  std::memcpy(to, &v, static_cast<std::size_t>(n) * sizeof(T));
#endif
}

/// Scans elements [begin, end) of a block, starting with the accumulation `before`. Returns their fold if `more`: the
/// segment continues after them.
template <class M, class T, bool kStream>
T scan_block(const T* a, int64_t begin, int64_t end, T before, T* result, bool more, std::ptrdiff_t ahead) {
  using V = Vector<T>;
  constexpr int64_t kStep = kLanes<T>;
  GroupScan<M, T> scan(before);
  GroupFold<M, T, true> fold;
  const auto add = [&](int64_t e, int accumulator) {
    if (ahead != 0) __builtin_prefetch(reinterpret_cast<const char*>(a + e) + ahead);
    const V x = load<V>(a + e);
    if (more) fold.add_vector(x, accumulator);
    const V out = scan.next(x);
    if constexpr (kStream)
      stream_vector(result + e, out);
    else
      store(result + e, out);
  };
  int64_t e = begin;
  for (; e + 4 * kStep <= end; e += 4 * kStep) {
    add(e, 0);
    add(e + kStep, 1);
    add(e + 2 * kStep, 2);
    add(e + 3 * kStep, 3);
  }
  for (int k = 0; e + kStep <= end; e += kStep) add(e, k++);
  if (e < end) store_part<T>(result + e, scan.next(load_part<M>(a + e, end - e)), end - e);
  return more ? fold.total() : T();
}

/// Scans a chunk segment by segment, with the grouping of fold_order.h.
template <class M, class T>
Slot scan_by_segments(const void* operand, const SegmentDescriptor& descriptor, const Chunk& chunk, Slot passed_on,
                      void* results, bool stream, std::ptrdiff_t ahead) {
  const T* a = static_cast<const T*>(operand);
  T* result = static_cast<T*>(results);
  T before = from_slot<T>(passed_on);
  int64_t e = chunk.element_begin;
  for (int64_t k = chunk.segment_begin; k < chunk.segment_end || e < chunk.element_end; ++k) {
    const int64_t stop = descriptor.start(k + 1), end = stop < chunk.element_end ? stop : chunk.element_end;
    if (descriptor.start(k) >= e) before = M::template identity<T>();
    const bool aligned = stream && reinterpret_cast<std::uintptr_t>(result + e) % kVectorBytes == 0;
    for (; e < end;) {
      const int64_t next = e + kFoldBlock < end ? e + kFoldBlock : end;
      const bool more = next < stop;
      const T block = aligned ? scan_block<M, T, true>(a, e, next, before, result, more, ahead)
                              : scan_block<M, T, false>(a, e, next, before, result, more, ahead);
      if (more) before = M::template combine<T>(block, before);
      e = next;
    }
  }
  return to_slot(before);
}

template <class M, class T, bool kFold>
Slot scan_chunk(const void* a, const SegmentDescriptor& descriptor, const Chunk& chunk, Slot before, void* result,
                bool stream, std::ptrdiff_t ahead) {
  const T* in = static_cast<const T*>(a);
  T* out = static_cast<T*>(result);
  return to_slot(stream ? scan_range<M, T, true, kFold>(in, descriptor, chunk, from_slot<T>(before), out, ahead)
                        : scan_range<M, T, false, kFold>(in, descriptor, chunk, from_slot<T>(before), out, ahead));
}

template <class M, class T>
Slot fold_range(const void* a, int64_t begin, int64_t end) {
  return to_slot(fold<M>(static_cast<const T*>(a) + begin, end - begin));
}

template <class M, class T>
int64_t fold_blocks_of(const void* a, int64_t begin, int64_t end, Slot* blocks) {
  return fold_blocks<M>(static_cast<const T*>(a) + begin, end - begin, blocks);
}

template <class M, class T>
Slot combine(Slot after, Slot before) {
  return to_slot(M::template combine<T>(from_slot<T>(after), from_slot<T>(before)));
}

}  // namespace

void add_scan(Kernels& kernels) {
  for_each_monoid([&]<class M, class T>() {
    constexpr Monoid m = M::kMonoid;
    constexpr ElemType t = vcode::kElemTypeOf<T>;
    if constexpr (kRounds<M, T>) {
      kernels.scan.chunks.at(m, t) = scan_by_segments<M, T>;
    } else {
      kernels.scan.chunks.at(m, t) = scan_chunk<M, T, false>;
      kernels.scan.chunks_with_fold.at(m, t) = scan_chunk<M, T, true>;
    }
    kernels.scan.fold.at(m, t) = fold_range<M, T>;
    kernels.scan.fold_blocks.at(m, t) = fold_blocks_of<M, T>;
    kernels.scan.combine.at(m, t) = combine<M, T>;
    kernels.scan.identity.at(m, t) = to_slot(M::template identity<T>());
    kernels.scan.empty_value.at(m, t) = to_slot(M::template empty_value<T>());
  });
}

}  // namespace cvl::cpu::CVL_ISA
