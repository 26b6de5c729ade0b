/// Operations that fill segments: DIST, INDEX and the number of each element's segment.
///
/// Bytes moved: every element of the result once; a value (or two) and, for irregular segments, an offset
/// per segment. The stores go through the cache: measured, streaming a fill is never faster.

#include "isa.h"

namespace cvl::cpu::CVL_ISA {
namespace {

template <class T>
Vector<T> lane_numbers() {
  Vector<T> v;
  for (int j = 0; j < kLanes<T>; ++j) v[j] = T(j);
  return v;
}

/// A segment's elements, from its element j on, as vectors: T(v) everywhere.
template <class T>
struct Constant {
  using Element = T;
  Vector<T> values;
  explicit Constant(T v) : values(Vector<T>{} + v) {}
  void advance() {}
};

/// start, start + stride, …
template <class T>
struct Progression {
  using Element = T;
  Vector<T> values, step;
  Progression(T start, T stride, int64_t j)
      : values(Vector<T>{} + start + (lane_numbers<T>() + T(j)) * stride), step(Vector<T>{} + T(stride * kLanes<T>)) {}
  void advance() { values += step; }
};

/// Fills the elements of a piece; values_of(k, j) makes the vectors of segment k from its element j. A
/// store may write up to a vector beyond its segment: the next segment's comes later. The last elements of
/// a piece are stored singly, because the next piece may be written already.
template <class Values, class ValuesOf>
void fill_piece(const SegmentMap& map, const Piece& piece, typename Values::Element* result, ValuesOf&& values_of) {
  using T = typename Values::Element;
  constexpr int64_t kStep = kLanes<T>;
  const int64_t segments = piece.segment_end < map.segments ? piece.segment_end + 1 : piece.segment_end;
  int64_t e = piece.element_begin;
  for (int64_t k = piece.segment_begin; k < segments; ++k) {
    const int64_t start = map.start(k), next = map.start(k + 1);
    const int64_t end = next < piece.element_end ? next : piece.element_end;
    if (e >= end) continue;
    Values values = values_of(k, e - start);
    if (end + kStep <= piece.element_end) {
      do {
        store(result + e, values.values);
        values.advance();
        e += kStep;
      } while (e < end);
    } else {
      for (; e + kStep <= end; e += kStep, values.advance()) store(result + e, values.values);
      T last[kStep];
      store(last, values.values);
      std::memcpy(result + e, last, static_cast<std::size_t>(end - e) * sizeof(T));
    }
    e = end;
  }
}

template <class T>
void dist(const void* values, const SegmentMap& map, const Piece& piece, void* result) {
  const T* v = static_cast<const T*>(values);
  fill_piece<Constant<T>>(map, piece, static_cast<T*>(result), [&](int64_t k, int64_t) { return Constant<T>(v[k]); });
}

template <class T>
void index(const void* starts, const void* strides, const SegmentMap& map, const Piece& piece, void* result) {
  const T* start = static_cast<const T*>(starts);
  const T* stride = static_cast<const T*>(strides);
  fill_piece<Progression<T>>(map, piece, static_cast<T*>(result),
                             [&](int64_t k, int64_t j) { return Progression<T>(start[k], stride[k], j); });
}

template <class T>
void ids(const SegmentMap& map, const Piece& piece, void* result) {
  fill_piece<Constant<T>>(map, piece, static_cast<T*>(result), [&](int64_t k, int64_t) { return Constant<T>(T(k)); });
}

}  // namespace

void add_dist(Kernels& kernels) {
  // Only the size of the elements matters.
  kernels.dist.dist[int(ElemType::kB8)] = dist<std::uint8_t>;
  kernels.dist.dist[int(ElemType::kI32)] = kernels.dist.dist[int(ElemType::kF32)] = dist<std::int32_t>;
  kernels.dist.dist[int(ElemType::kI64)] = kernels.dist.dist[int(ElemType::kF64)] = dist<int64_t>;
  kernels.dist.index[int(ElemType::kI32)] = index<std::int32_t>;
  kernels.dist.index[int(ElemType::kI64)] = index<int64_t>;
  kernels.dist.ids[int(ElemType::kI32)] = ids<std::int32_t>;
  kernels.dist.ids[int(ElemType::kI64)] = ids<int64_t>;
}

}  // namespace cvl::cpu::CVL_ISA
