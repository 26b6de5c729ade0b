/// Operations that move blocks: SLICE, APPEND and the merges.
///
/// Bytes moved: every element once from its operand and once to the result; an offset per irregular segment of each
/// descriptor. Short segments are bound by instructions: a block of up to 32 bytes is one load and one store.

#include "isa/isa.h"
#include "tuning/loop_tuning.h"

namespace cvl::cpu::CVL_ISA {
namespace {

/// Bytes that are moved at a time. Wider stores would cross a cache line at nearly every short block.
constexpr int64_t kStepBytes = 32;
typedef std::uint8_t Step __attribute__((vector_size(kStepBytes)));

/// Moves a long block. The C library moves it by REP MOVSB, which on an EPYC of AMD (glibc 2.36) takes twenty
/// times as long where the destination is 1 to 31 bytes behind the source, modulo the size of a page: as in [x] ++ s.
[[gnu::noinline]] void move_long_block(void* to, const void* from, int64_t bytes) {
  constexpr std::uintptr_t kPage = 4096;
  auto* const target = static_cast<std::uint8_t*>(to);
  const auto* const source = static_cast<const std::uint8_t*>(from);
  const std::uintptr_t behind = (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)) % kPage;
  int64_t moved = 0;
  if (behind > 0 && behind < kStepBytes)
    for (; moved + kStepBytes <= bytes; moved += kStepBytes) store(target + moved, load<Step>(source + moved));
  std::memcpy(target + moved, source + moved, static_cast<std::size_t>(bytes - moved));
}

/// Moves n elements. Up to kStepBytes beyond them may be read, though not from `from_end` on, and written, though not
/// from `to_end` on: elements after them are moved later. The first step is taken even for no elements, since a branch
/// on whether there are any would be mispredicted.
template <class T>
[[gnu::always_inline]] inline void move_block(T* to, const T* from, int64_t n, const T* to_end, const T* from_end) {
  constexpr int64_t kStep = kStepBytes / int64_t{sizeof(T)};
  const int64_t bytes = n * int64_t{sizeof(T)};
  if (bytes <= kShortBlockBytes && to_end - to >= n + kStep && from_end - from >= n + kStep) {
    store(to, load<Step>(from));
    for (int64_t j = kStep; j < n; j += kStep) store(to + j, load<Step>(from + j));
  } else if (n > 0) {
    move_long_block(to, from, bytes);
  }
}

/// Iterates over the segments of a chunk in order. Calls part(k, begin, end) for the elements of a segment that is only
/// partly in the chunk, and whole(first, last) for the segments between; stops where one returns false.
template <class OnPart, class OnWhole>
inline void for_segments(const SegmentDescriptor& descriptor, const Chunk& chunk, OnPart&& part, OnWhole&& whole) {
  int64_t k = chunk.segment_begin, begin = chunk.element_begin;
  if (k < chunk.segment_end && descriptor.start(k) < begin) {
    if (!part(k, begin, descriptor.start(k + 1))) return;
    begin = descriptor.start(++k);
  }
  if (!whole(k, chunk.segment_end)) return;
  if (k < chunk.segment_end) begin = descriptor.start(chunk.segment_end);
  if (begin < chunk.element_end) part(chunk.segment_end, begin, chunk.element_end);
}

inline int64_t length_of(const SegmentDescriptor& descriptor, int64_t k) {
  return descriptor.is_regular() ? descriptor.regular_length : descriptor.offsets[k + 1] - descriptor.offsets[k];
}

template <class T, class I>
IndexFault slice(const void* a, int64_t length, const void* all_starts, const SegmentDescriptor& descriptor,
                 const Chunk& chunk, void* result) {
  const T* const source = static_cast<const T*>(a);
  const T* const source_end = source + length;
  const I* const starts = static_cast<const I*>(all_starts);
  T* const to = static_cast<T*>(result);
  T* const to_end = to + chunk.element_end;
  IndexFault fault;
  // Whether n elements of segment k, from element e of the result on, are in the operand; `before` elements of the
  // segment precede them.
  const auto is_inside = [&](int64_t k, int64_t e, int64_t before, int64_t n) {
    const int64_t first = starts[k] + before;
    if (n == 0 || (first >= 0 && first <= length - n)) [[likely]]
      return true;
    const int64_t inside = first < 0 || first >= length ? 0 : length - first;
    fault = {e + inside, first + inside, length};
    return false;
  };
  for_segments(
      descriptor, chunk,
      [&](int64_t k, int64_t begin, int64_t end) {
        const int64_t before = begin - descriptor.start(k);
        if (!is_inside(k, begin, before, end - begin)) return false;
        if (begin < end) move_block(to + begin, source + starts[k] + before, end - begin, to_end, source_end);
        return true;
      },
      [&](int64_t k, int64_t last) {
        for (T* at = to + descriptor.start(k); k < last; ++k) {
          const int64_t n = length_of(descriptor, k);
          if (!is_inside(k, at - to, 0, n)) return false;
          move_block(at, source + (n > 0 ? int64_t{starts[k]} : 0), n, to_end, source_end);
          at += n;
        }
        return true;
      });
  return fault;
}

/// The part of elements [from, to) that lies in [low, high); its size is not positive if there is none.
struct Part {
  int64_t begin, size;
  Part(int64_t from, int64_t to, int64_t low, int64_t high) : begin(from > low ? from : low) {
    size = (to < high ? to : high) - begin;
  }
};

/// Tuples of the next elements of each source: n tuples.
template <class T, int parts>
void interleave(const T* const (&from)[parts], int64_t n, T* to) {
  for (int64_t k = 0; k < n; ++k)
    for (int p = 0; p < parts; ++p) to[parts * k + p] = from[p][k];
}

template <class T, int parts>
LengthFault append_parts(const Join<3>& join, const Chunk& chunk, void* result) {
  const SegmentDescriptor* descriptors[parts];
  const T *sources[parts], *ends[parts];
  bool makes_tuples = join.to.regular_length == parts;
  CVL_UNROLL
  for (int p = 0; p < parts; ++p) {
    const auto& [a, descriptor] = join.parts[p];
    descriptors[p] = &descriptor;
    sources[p] = static_cast<const T*>(a.data);
    ends[p] = sources[p] + a.length;
    makes_tuples &= descriptor.regular_length == 1;
  }
  T* const to = static_cast<T*>(result);
  T* const to_end = to + chunk.element_end;
  LengthFault fault;
  // The lengths of the parts of segment k, if they fill it.
  const auto fits = [&](int64_t k, int64_t(&lengths)[parts]) {
    int64_t sum = 0;
    CVL_UNROLL
    for (int p = 0; p < parts; ++p) sum += lengths[p] = length_of(*descriptors[p], k);
    const int64_t room = length_of(join.to, k);
    if (sum == room) [[likely]]
      return true;
    fault = {k, sum, room};
    return false;
  };
  for_segments(
      join.to, chunk,
      [&](int64_t k, int64_t begin, int64_t end) {
        int64_t lengths[parts];
        if (!fits(k, lengths)) return false;
        int64_t start = join.to.start(k);
        CVL_UNROLL
        for (int p = 0; p < parts; start += lengths[p++]) {
          const Part part(start, start + lengths[p], begin, end);
          if (part.size <= 0) continue;
          const T* const from = sources[p] + descriptors[p]->start(k) + (part.begin - start);
          move_block(to + part.begin, from, part.size, to_end, ends[p]);
        }
        return true;
      },
      [&](int64_t k, int64_t last) {
        T* at = to + join.to.start(k);
        const T* from[parts];
        CVL_UNROLL
        for (int p = 0; p < parts; ++p) from[p] = sources[p] + descriptors[p]->start(k);
        if (makes_tuples) return interleave(from, last - k, at), true;
        for (; k < last; ++k) {
          int64_t lengths[parts];
          if (!fits(k, lengths)) return false;
          CVL_UNROLL
          for (int p = 0; p < parts; ++p) {
            move_block(at, from[p], lengths[p], to_end, ends[p]);
            at += lengths[p];
            from[p] += lengths[p];
          }
        }
        return true;
      });
  return fault;
}

template <class T>
LengthFault append(const Join<3>& join, const Chunk& chunk, void* result) {
  return join.parts[2].a.length == 0 ? append_parts<T, 2>(join, chunk, result)
                                     : append_parts<T, 3>(join, chunk, result);
}

template <class T>
LengthFault merge(const bool* flags, const Join<2>& join, int64_t chosen, const Chunk& chunk, void* result) {
  // Indexed by flags.
  const auto& [a, b] = join.parts;
  const T* const sources[2] = {static_cast<const T*>(b.a.data), static_cast<const T*>(a.a.data)};
  const T* const ends[2] = {sources[0] + b.a.length, sources[1] + a.a.length};
  const SegmentDescriptor* const descriptors[2] = {&b.descriptor, &a.descriptor};
  int64_t next[2] = {chunk.segment_begin - chosen, chosen};
  T* const to = static_cast<T*>(result);
  T* const to_end = to + chunk.element_end;
  LengthFault fault;
  const auto fits = [&](int64_t k, int which) {
    const int64_t n = length_of(*descriptors[which], next[which]++), room = length_of(join.to, k);
    if (n == room) [[likely]]
      return true;
    fault = {k, n, room};
    return false;
  };
  for_segments(
      join.to, chunk,
      [&](int64_t k, int64_t begin, int64_t end) {
        const int which = flags[k];
        const int64_t from = descriptors[which]->start(next[which]) + (begin - join.to.start(k));
        if (!fits(k, which)) return false;
        if (begin < end) move_block(to + begin, sources[which] + from, end - begin, to_end, ends[which]);
        return true;
      },
      [&](int64_t k, int64_t last) {
        T* at = to + join.to.start(k);
        const T* from[2] = {sources[0] + descriptors[0]->start(next[0]), sources[1] + descriptors[1]->start(next[1])};
        for (; k < last; ++k) {
          const int which = flags[k];
          if (!fits(k, which)) return false;
          const int64_t n = length_of(join.to, k);
          move_block(at, from[which], n, to_end, ends[which]);
          at += n;
          from[which] += n;
        }
        return true;
      });
  return fault;
}

#if defined(__AVX512BW__)

/// 64 bytes of elements: the next ones of a where a bit is set, the next ones of b elsewhere.
template <class T>
inline __m512i expand(std::uint64_t bits, const T* a, const T* b) {
  if constexpr (sizeof(T) == 4)
    return _mm512_mask_expand_epi32(_mm512_maskz_expand_epi32(__mmask16(~bits), _mm512_loadu_si512(b)), __mmask16(bits),
                                    _mm512_loadu_si512(a));
  else
    return _mm512_mask_expand_epi64(_mm512_maskz_expand_epi64(__mmask8(~bits), _mm512_loadu_si512(b)), __mmask8(bits),
                                    _mm512_loadu_si512(a));
}

/// Merges from e on as long as whole registers can be read. Returns the first element that is not merged yet.
template <class T>
int64_t merge_registers(const std::uint8_t* flags, int64_t e, int64_t end, const T*& a, const T* a_end, const T*& b,
                        const T* b_end, T* to) {
  constexpr int64_t kWidth = 64 / int64_t{sizeof(T)};
  for (; e + 64 <= end && a + 64 <= a_end && b + 64 <= b_end; e += 64) {
    const __m512i v = _mm512_loadu_si512(flags + e);
    std::uint64_t bits = _mm512_test_epi8_mask(v, v);
    for (int64_t j = 0; j < 64; j += kWidth, bits >>= kWidth) {
      _mm512_storeu_si512(to + e + j, expand(bits, a, b));
      const int64_t of_a = _mm_popcnt_u64(bits & ((std::uint64_t(1) << kWidth) - 1));
      a += of_a;
      b += kWidth - of_a;
    }
  }
  return e;
}

#endif

template <class T>
void merge_elements(const bool* all_flags, const Join<2>& join, int64_t chosen, int64_t begin, int64_t end,
                    void* result) {
  const auto* flags = reinterpret_cast<const std::uint8_t*>(all_flags);
  const Operand &of_a = join.parts[0].a, &of_b = join.parts[1].a;
  const T* a = static_cast<const T*>(of_a.data) + chosen;
  const T* b = static_cast<const T*>(of_b.data) + (begin - chosen);
  T* const to = static_cast<T*>(result);
  int64_t e = begin;
#if defined(__AVX512BW__)
  if constexpr (sizeof(T) >= 4)
    e = merge_registers(flags, e, end, a, static_cast<const T*>(of_a.data) + of_a.length, b,
                        static_cast<const T*>(of_b.data) + of_b.length, to);
#endif
  CVL_UNROLL
  for (int64_t j = e; j < end; ++j) {
    to[j] = *(flags[j] ? a : b);
    a += flags[j];
    b += flags[j] ^ 1;
  }
}

int64_t count_flags(const bool* flags, int64_t begin, int64_t end) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(flags);
  int64_t count = 0;
  for (int64_t k = begin; k < end;) {
    // A byte can hold the sum of 255 flags.
    const int64_t stop = end - k < 255 ? end : k + 255;
    std::uint32_t sum = 0;
    for (; k < stop; ++k) sum += bytes[k];
    count += sum;
  }
  return count;
}

template <class T>
void add_for(RangeKernels& kernels, int size) {
  kernels.slice[size][0] = slice<T, std::int32_t>;
  kernels.slice[size][1] = slice<T, int64_t>;
  kernels.append[size] = append<T>;
  kernels.merge[size] = merge<T>;
  kernels.merge_elements[size] = merge_elements<T>;
}

}  // namespace

void add_range(Kernels& kernels) {
  add_for<std::uint8_t>(kernels.range, 0);
  add_for<std::uint32_t>(kernels.range, 1);
  add_for<std::uint64_t>(kernels.range, 2);
  kernels.range.count_flags = count_flags;
}

}  // namespace cvl::cpu::CVL_ISA
