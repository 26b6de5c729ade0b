/// Reading at given places: gathers, EXTRACT, REPLACE.
///
/// Bytes moved: index, flag and result once; of the source a cache line (64 bytes) per element if the
/// indices are random, which makes this a matter of how many misses a core has under way. Indices are
/// checked in the same pass; the loops have no branch that depends on them.

#include "isa.h"

namespace cvl::cpu::CVL_ISA {
namespace {

constexpr int64_t kChunk = 1024;

template <class I>
inline bool inside(I index, int64_t length) {
  return static_cast<std::uint64_t>(static_cast<int64_t>(index)) < static_cast<std::uint64_t>(length);
}

/// One element: all ones in `outside` if its index is used and not valid. Without branches: whether an
/// element is wanted is as hard to predict as where it comes from.
template <class T, class I, bool kFlags>
inline T gather_one(const T* source, int64_t base, int64_t length, I index, const std::uint8_t* flag,
                    std::uint64_t& outside) {
  const std::uint64_t valid = 0 - static_cast<std::uint64_t>(inside(index, length));
  const std::uint64_t wanted = kFlags ? 0 - static_cast<std::uint64_t>(*flag) : ~std::uint64_t{0};
  outside |= ~valid & wanted;
  const std::uint64_t place = static_cast<std::uint64_t>(base) + static_cast<std::uint64_t>(int64_t{index});
  return static_cast<T>(source[place & valid & wanted] & static_cast<T>(wanted));
}

/// n elements from one segment. True if an index used was outside.
template <class T, class I, bool kFlags>
bool gather_run(const T* source, int64_t length, const I* indices, const std::uint8_t* flags, int64_t n, T* result) {
  std::uint64_t outside = 0;
  for (int64_t e = 0; e < n; ++e)
    result[e] = gather_one<T, I, kFlags>(source, 0, length, indices[e], flags + e, outside);
  return outside != 0;
}

/// As gather_run for a chunk of many segments: bases and lengths of the segments, one for each element.
template <class T, class I, bool kFlags>
bool gather_spread(const T* source, const int64_t* bases, const int64_t* lengths, const I* indices,
                   const std::uint8_t* flags, int64_t n, T* result) {
  std::uint64_t outside = 0;
  for (int64_t e = 0; e < n; ++e)
    result[e] = gather_one<T, I, kFlags>(source, bases[e], lengths[e], indices[e], flags + e, outside);
  return outside != 0;
}

template <class I>
IndexFault find_fault(const I* indices, const bool* flags, const SegmentMap& from, const SegmentMap& to, int64_t k,
                      int64_t begin, int64_t end) {
  for (int64_t e = begin; e < end; ++e) {
    while (to.start(k + 1) <= e) ++k;
    const int64_t length = from.start(k + 1) - from.start(k);
    if ((flags == nullptr || flags[e]) && !inside(indices[e], length)) return {e, indices[e], length};
  }
  return {};
}

template <class T, class I, bool kFlags>
IndexFault gather_piece(const T* source, const I* indices, const bool* flags, const SegmentMap& from,
                        const SegmentMap& to, const Piece& piece, T* result) {
  // An element that is not there is replaced by the first of the source; if there is none, all are faults.
  const bool empty = from.elements == 0;
  int64_t bases[kChunk + 8], lengths[kChunk + 8];
  I held[kChunk];
  int64_t k = piece.segment_begin;
  for (int64_t e = piece.element_begin; e < piece.element_end; e += kChunk) {
    const int64_t end = e + kChunk < piece.element_end ? e + kChunk : piece.element_end;
    while (to.start(k + 1) <= e) ++k;
    const int64_t first = k;
    // The result may overwrite the indices, which a message will need.
    const I* chunk = indices + e;
    if (static_cast<const void*>(indices) == result) {
      std::memcpy(held, chunk, static_cast<std::size_t>(end - e) * sizeof(I));
      chunk = held;
    }
    const auto* chunk_flags = kFlags ? reinterpret_cast<const std::uint8_t*>(flags + e) : nullptr;
    bool outside;
    if (empty) {
      outside = find_fault(chunk - e, flags, from, to, first, e, end).position >= 0;
      if (!outside) std::memset(result + e, 0, static_cast<std::size_t>(end - e) * sizeof(T));
    } else if (to.start(k + 1) >= end) {
      const int64_t base = from.start(k);
      // An empty segment has no element of its own to read in place of what is not there.
      const bool own = from.start(k + 1) > base;
      outside = gather_run<T, I, kFlags>(own ? source + base : source, from.start(k + 1) - base, chunk, chunk_flags,
                                         end - e, result + e);
    } else {
      for (int64_t at = e; at < end; ++k) {
        const int64_t next = to.start(k + 1) < end ? to.start(k + 1) : end;
        const int64_t base = from.start(k), length = from.start(k + 1) - base;
        // Whole vectors: what lies beyond the segment is overwritten by the next.
        for (; at < next; at += 8)
          for (int j = 0; j < 8; ++j) {
            bases[at - e + j] = base;
            lengths[at - e + j] = length;
          }
        at = next;
      }
      --k;
      outside = gather_spread<T, I, kFlags>(source, bases, lengths, chunk, chunk_flags, end - e, result + e);
    }
    if (outside) return find_fault(chunk - e, flags, from, to, first, e, end);
  }
  return {};
}

template <class T, class I>
IndexFault gather(const void* source, const void* indices, const bool* flags, const SegmentMap& from,
                  const SegmentMap& to, const Piece& piece, void* result) {
  const T* s = static_cast<const T*>(source);
  const I* i = static_cast<const I*>(indices);
  return flags != nullptr ? gather_piece<T, I, true>(s, i, flags, from, to, piece, static_cast<T*>(result))
                          : gather_piece<T, I, false>(s, i, flags, from, to, piece, static_cast<T*>(result));
}

template <class T, class I>
IndexFault extract(const void* a, const void* indices, const SegmentMap& map, int64_t begin, int64_t end,
                   void* result) {
  const I* i = static_cast<const I*>(indices);
  for (int64_t k = begin; k < end; ++k) {
    const int64_t start = map.start(k), length = map.start(k + 1) - start;
    const I index = i[k];
    if (!inside(index, length)) return {k, index, length};
    static_cast<T*>(result)[k] = static_cast<const T*>(a)[start + index];
  }
  return {};
}

template <class T, class I>
IndexFault replace(void* a, const void* indices, const void* values, const SegmentMap& map, int64_t begin,
                   int64_t end) {
  const I* i = static_cast<const I*>(indices);
  for (int64_t k = begin; k < end; ++k) {
    const int64_t start = map.start(k), length = map.start(k + 1) - start;
    if (!inside(i[k], length)) return {k, i[k], length};
    static_cast<T*>(a)[start + i[k]] = static_cast<const T*>(values)[k];
  }
  return {};
}

/// Only the size of the elements matters.
template <class T, class I>
void add_for(GatherKernels& kernels, ElemType element) {
  const int t = int(element), i = int(vcode::kElemTypeOf<I>);
  kernels.gather[t][i] = gather<T, I>;
  kernels.extract[t][i] = extract<T, I>;
  kernels.replace[t][i] = replace<T, I>;
}

template <class I>
void add_for_index(GatherKernels& kernels) {
  add_for<std::uint8_t, I>(kernels, ElemType::kB8);
  add_for<std::uint32_t, I>(kernels, ElemType::kI32);
  add_for<std::uint32_t, I>(kernels, ElemType::kF32);
  add_for<std::uint64_t, I>(kernels, ElemType::kI64);
  add_for<std::uint64_t, I>(kernels, ElemType::kF64);
}

}  // namespace

void add_gather(Kernels& kernels) {
  add_for_index<std::int32_t>(kernels.gather);
  add_for_index<int64_t>(kernels.gather);
}

}  // namespace cvl::cpu::CVL_ISA
