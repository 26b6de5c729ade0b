/// Reductions of segments.
///
/// Bytes moved: every element once; for irregular segments also an offset (8 bytes) and a result per segment; large
/// results are streamed. Segments are folded in groups of kLanes: each into a vector of its own, whose lanes a
/// transposition then combines. Short segments are bound by shuffles and masks, which use one port: a segment of i32
/// takes 2 masks, each with a load that spans two cache lines, and 2 shuffles, in all 6 cycles.

#include "isa/each_monoid.h"
#include "isa/flag_bits.h"
#include "isa/short_segments.h"
#include "tuning/loop_tuning.h"

namespace cvl::cpu::CVL_ISA {
namespace {

template <class M, class T>
T reduce_segment(const T* a, int64_t begin, int64_t end) {
  return begin == end ? M::template empty_value<T>() : fold_segment<M>(a + begin, end - begin);
}

#if defined(__AVX2__)

/// Folds kLanes segments, of which `longer` have more than 3 * kLanes elements.
template <class M, class T>
[[gnu::noinline]] Vector<T> fold_long_group(const T* a, const int64_t* starts, const Length<T>* lengths,
                                            unsigned longer) {
  Register<T> rows[kLanes<T>];  // in the order of memory
  for (int j = 0; j < kLanes<T>; ++j) {
    const T* const segment = a + starts[j];
    const int64_t length = starts[j + 1] - starts[j];
    if (kRounds<M, T> && length > kFoldBlock) {
      rows[j] = Register<T>{} + M::template identity<T>();
      rows[j][0] = fold_segment<M>(segment, length);
    } else {
      rows[j] = longer >> j & 1 ? narrowed<M, T>(fold_to_lanes<M>(segment, length))
                                : load_row<M, 3 * kRegistersOfVector>(segment, lengths[j]);
    }
  }
  return fold_rows<M, T>([&](int j) { return rows[j]; });
}

/// Folds kLanes segments of at most kRegisters registers.
template <class M, int kRegisters, class T>
inline Vector<T> fold_short_group(const T* a, const int64_t* starts, const Length<T>* lengths) {
  return fold_rows<M, T>([&](int j) { return load_row<M, kRegisters>(a + starts[j], lengths[j]); });
}

/// Folds kLanes segments of at most 3 * kLanes elements, and prefetches at distance `ahead`.
template <class M, class T>
inline Vector<T> fold_group(const T* a, const int64_t* starts, const Length<T>* lengths, std::ptrdiff_t ahead) {
  constexpr int kGroup = kLanes<T>;
  for (int j = 0; j < kGroup; ++j) _mm_prefetch(reinterpret_cast<const char*>(a + starts[j]) + ahead, _MM_HINT_T0);
  // Branch once for the group: branches on the length of each segment would be mispredicted.
  if (kRegistersOfVector > 1 && longer_than<T>(kGroup / 2, lengths) == 0)
    return fold_short_group<M, (kRegistersOfVector + 1) / 2>(a, starts, lengths);
  if (longer_than<T>(kGroup, lengths) == 0) return fold_short_group<M, kRegistersOfVector>(a, starts, lengths);
  if (longer_than<T>(2 * kGroup, lengths) == 0) return fold_short_group<M, 2 * kRegistersOfVector>(a, starts, lengths);
  return fold_short_group<M, 3 * kRegistersOfVector>(a, starts, lengths);
}

/// Reduces segments [k, k + n), n a multiple of kLanes up to kReduceSegments. With `stream`, result + k is aligned.
template <class M, class T>
void reduce_block(const T* a, const SegmentDescriptor& descriptor, int64_t k, int64_t n, T* result, bool stream,
                  std::ptrdiff_t ahead) {
  using V = Vector<T>;
  constexpr int kGroup = kLanes<T>;
  VC_CHECK(n % kGroup == 0 && n <= kReduceSegments);
  VC_CHECK(!stream || reinterpret_cast<std::uintptr_t>(result + k) % kVectorBytes == 0);
  int64_t regular[kReduceSegments + 1];
  const int64_t* starts = regular;
  if (descriptor.is_regular())
    for (int64_t j = 0; j <= n; ++j) regular[j] = (k + j) * descriptor.regular_length;
  else
    starts = descriptor.offsets + k;
  alignas(64) Length<T> lengths[kReduceSegments];
  for (int64_t j = 0; j < n; ++j) {
    const int64_t length = starts[j + 1] - starts[j];
    lengths[j] = static_cast<Length<T>>(length < 4 * kGroup ? length : 4 * kGroup);
  }
  for (int64_t g = 0; g < n; g += kGroup) {
    V sums;
    if (const unsigned longer = longer_than<T>(3 * kGroup, lengths + g); longer != 0)
      sums = fold_long_group<M>(a, starts + g, lengths + g, longer);
#if defined(__AVX512F__)
    else if (longer_than<T>(1, lengths + g) == 0)
      sums = take_group<M>(a + starts[g], longer_than<T>(0, lengths + g));
#endif
    else
      sums = fold_group<M>(a, starts + g, lengths + g, ahead);
    const V out = unless_empty<M, T>(sums, lengths + g);
    if (stream)
      stream_vector(result + k + g, out);
    else
      store(result + k + g, out);
  }
}

#endif

/// Reduces segments [begin, end), all of whose elements are in the chunk.
template <class M, class T>
void reduce_segments(const T* a, const SegmentDescriptor& descriptor, int64_t begin, int64_t end, T* result,
                     [[maybe_unused]] bool stream, [[maybe_unused]] std::ptrdiff_t ahead) {
#if defined(__AVX2__)
  if constexpr (sizeof(T) >= 4) {
    constexpr int64_t kGroup = kLanes<T>;
    if (end - begin >= kGroup) {
      // The first and the last group overlap their neighbours, so that the results of the groups between are aligned.
      reduce_block<M>(a, descriptor, begin, kGroup, result, false, ahead);
      const auto address = reinterpret_cast<std::uintptr_t>(result + begin);
      int64_t k = begin + kGroup - static_cast<int64_t>(address % kVectorBytes / sizeof(T));
      for (int64_t n; (n = (end - k) / kGroup * kGroup) > 0; k += n) {
        if (n > kReduceSegments) n = kReduceSegments;
        reduce_block<M>(a, descriptor, k, n, result, stream, ahead);
      }
      if (k < end) reduce_block<M>(a, descriptor, end - kGroup, kGroup, result, false, ahead);
      return;
    }
  }
#endif
  for (int64_t k = begin; k < end; ++k) result[k] = reduce_segment<M>(a, descriptor.start(k), descriptor.start(k + 1));
}

/// Reduces segments [begin, end) of flags, all of whose elements are in the chunk. The flags of many segments become
/// bits of words at a time, of which those of a short segment are a part.
template <class M>
void reduce_flags(const bool* a, const SegmentDescriptor& descriptor, int64_t begin, int64_t end, bool* result) {
  constexpr int64_t kBitsOfSegment = 57;  // of the 64 bits from a byte on, whichever of its bits is the first
  alignas(8) std::uint8_t bits[kFlagsAtOnce / 8 + 8];
  const auto* flags = reinterpret_cast<const std::uint8_t*>(a);
  const int64_t last = descriptor.start(end);
  for (int64_t k = begin; k < end;) {
    const int64_t base = descriptor.start(k), n = last - base < kFlagsAtOnce ? last - base : kFlagsAtOnce;
    for (int64_t e = 0; e < n; e += 64) store(bits + e / 8, flag_bits(flags + base + e, n - e));
    for (int64_t from = 0, to; k < end && (to = descriptor.start(k + 1) - base) <= n; ++k, from = to) {
      if (to - from > kBitsOfSegment) {
        result[k] = fold_flags<M>(a + base + from, to - from);
        continue;
      }
      const std::uint64_t present = (std::uint64_t(1) << (to - from)) - 1;
      const std::uint64_t segment = load<std::uint64_t>(bits + from / 8) >> from % 8;
      if constexpr (M::kMonoid == Monoid::kAll)
        result[k] = (~segment & present) == 0;
      else if constexpr (M::kMonoid == Monoid::kAny)
        result[k] = (segment & present) != 0;
      else
        result[k] = __builtin_parityll(segment & present) != 0;
    }
    if (k < end && descriptor.start(k) == base) {  // longer than all bits
      result[k] = fold_flags<M>(a + base, descriptor.start(k + 1) - base);
      ++k;
    }
  }
}

template <class M, class T>
void reduce_chunk(const void* operand, const SegmentDescriptor& descriptor, const Chunk& chunk, void* results,
                  ReduceKernels::Edges& edges, bool stream, std::ptrdiff_t ahead) {
  const T* a = static_cast<const T*>(operand);
  T* result = static_cast<T*>(results);
  edges.chunk = chunk;
  edges.count = 0;
  int64_t first = chunk.segment_begin;  // the first segment that begins in the chunk
  if (continues(descriptor, chunk)) {
    const bool ends = chunk.segment_begin < chunk.segment_end;
    const int64_t end = ends ? descriptor.start(chunk.segment_begin + 1) : chunk.element_end;
    edges.count = fold_blocks<M>(a + chunk.element_begin, end - chunk.element_begin, edges.blocks);
    if (!ends) return;
    ++first;
  }
  if constexpr (std::is_same_v<T, bool>)
    reduce_flags<M>(a, descriptor, first, chunk.segment_end, result);
  else
    reduce_segments<M>(a, descriptor, first, chunk.segment_end, result, stream, ahead);
  if (stream) stream_fence();
  const int64_t open = descriptor.start(chunk.segment_end);
  edges.tail = to_slot(fold_segment<M>(a + open, chunk.element_end - open));
}

template <class M, class T>
void join_chunks(const SegmentDescriptor& descriptor, const ReduceKernels::Edges* edges, int64_t chunks,
                 void* results) {
  T* result = static_cast<T*>(results);
  T before = M::template identity<T>();
  for (int64_t p = 0; p < chunks; ++p) {
    const Chunk& chunk = edges[p].chunk;
    if (continues(descriptor, chunk)) {
      for (int64_t k = 0; k < edges[p].count; ++k)
        before = M::template combine<T>(from_slot<T>(edges[p].blocks[k]), before);
      if (chunk.segment_begin == chunk.segment_end) continue;
      result[chunk.segment_begin] = before;
    }
    before = from_slot<T>(edges[p].tail);
  }
}

}  // namespace

void add_reduce(Kernels& kernels) {
  for_each_monoid([&]<class M, class T>() {
    kernels.reduce.chunks.at(M::kMonoid, vcode::kElemTypeOf<T>) = reduce_chunk<M, T>;
    kernels.reduce.join.at(M::kMonoid, vcode::kElemTypeOf<T>) = join_chunks<M, T>;
  });
}

}  // namespace cvl::cpu::CVL_ISA
