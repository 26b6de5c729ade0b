/// Operations that fill segments: DIST and INDEX.
///
/// Bytes moved: every element of the result once; a value (INDEX: two) and, for irregular segments, an offset per
/// segment. Large results are streamed: on an idle machine that is as fast as ordinary stores, and many times faster
/// while other processes use the memory.

#include "isa/isa.h"
#include "tuning/loop_tuning.h"

namespace cvl::cpu::CVL_ISA {
namespace {

template <class T>
Vector<T> lane_numbers() {
  T numbers[kLanes<T>];
  for (int j = 0; j < kLanes<T>; ++j) numbers[j] = T(j);
  return load<Vector<T>>(numbers);
}

/// The elements of a segment as a sequence of vectors, all of them v.
template <class T>
struct Constant {
  using Element = T;
  Vector<T> values;
  explicit Constant(T v) : values(splat(v)) {}
  void advance() {}
};

/// The elements of a segment as a sequence of vectors: start + j * stride for element j, from some j on.
template <class T>
struct Progression {
  using Element = T;
  Vector<T> values;
  T step;
  Progression(T start, T stride, int64_t j)
      : values(by_registers([=](Register<T> numbers) { return (numbers + T(j)) * stride + start; }, lane_numbers<T>())),
        step(T(stride * kLanes<T>)) {}
  void advance() {
    values = by_registers([this](Register<T> v) { return v + step; }, values);
  }
};

template <class T>
constexpr int64_t kBuffer = kDistBufferBytes / sizeof(T);
template <class T>
constexpr int64_t kLong = kDistLongBytes / sizeof(T);

/// Iterates over the segments of a chunk and fills consecutive runs of its elements.
template <class Values, class ValuesOf>
class Filler {
 public:
  using T = typename Values::Element;
  static constexpr int64_t kStep = kLanes<T>;

  Filler(const SegmentDescriptor& descriptor, const Chunk& chunk, ValuesOf values_of)
      : descriptor_(descriptor), k_(chunk.segment_begin), values_of_(values_of) {}

  /// The end of the segment of element e; e never decreases from call to call.
  int64_t end_of_segment(int64_t e) {
    while (descriptor_.start(k_ + 1) <= e) ++k_;
    return descriptor_.start(k_ + 1);
  }
  /// True if elements [begin, end) are in one segment.
  bool are_together(int64_t begin, int64_t end) const {
    int64_t k = k_;
    while (descriptor_.start(k + 1) <= begin) ++k;
    return descriptor_.start(k + 1) >= end;
  }

  Values values(int64_t element) const { return values_of_(k_, element - descriptor_.start(k_)); }

  /// Writes elements [begin, end) to `out`, which has room for `room` elements. A store may write up to a vector beyond
  /// its segment, but not beyond the room: the elements of the next segment are written later.
  void fill(int64_t begin, int64_t end, T* out, int64_t room) {
    for (int64_t e = begin; e < end; ++k_) {
      const int64_t next = descriptor_.start(k_ + 1);
      const int64_t stop = next < end ? next : end;
      Values v = values(e);
      if (stop - begin + kStep <= room) {
        // The first vector is stored even if there are no elements: a branch on that would be mispredicted.
        do {
          store(out + (e - begin), v.values);
          v.advance();
        } while ((e += kStep) < stop);
      } else {
        for (; e + kStep <= stop; e += kStep, v.advance()) store(out + (e - begin), v.values);
        T last[kStep];
        store(last, v.values);
        if (e < stop) std::memcpy(out + (e - begin), last, static_cast<std::size_t>(stop - e) * sizeof(T));
      }
      e = stop;
      if (next > end) break;  // the segment continues in the next run
    }
  }

 private:
  const SegmentDescriptor& descriptor_;
  int64_t k_;
  ValuesOf values_of_;
};

/// Fills the elements of a chunk; values_of(k, j) makes the vectors of segment k from its element j on.
template <class Values, class ValuesOf>
void fill_chunk(const SegmentDescriptor& descriptor, const Chunk& chunk, typename Values::Element* result, bool stream,
                ValuesOf&& values_of) {
  using T = typename Values::Element;
  Filler<Values, ValuesOf> filler(descriptor, chunk, values_of);
  const int64_t end = chunk.element_end;
  int64_t e = chunk.element_begin;
  // Ordinary stores: up to the first cache line, or for everything if not streamed.
  const int64_t aligned = (e + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
  const int64_t plain = stream && aligned < end ? aligned : end;
  filler.fill(e, plain, result + e, plain - e);
  if (plain == end) return;
  e = plain;
  while (e < end) {
    const int64_t segment_end = filler.end_of_segment(e);
    const int64_t lines = ((segment_end < end ? segment_end : end) - e) / kLanes<T> * kLanes<T>;
    if (lines >= kLong<T>) {
      Values v = filler.values(e);
      for (int64_t k = e; k < e + lines; k += kLanes<T>, v.advance()) stream_vector(result + k, v.values);
      e += lines;
      continue;
    }
    // Fill a cache line before a long segment, or a buffer with short segments.
    const int64_t line_end = e + kLanes<T>;
    const bool long_follows = line_end + kLong<T> <= end && filler.are_together(line_end, line_end + kLong<T>);
    const int64_t run = long_follows ? kLanes<T> : end - e < kBuffer<T> ? end - e : kBuffer<T>;
    alignas(64) T buffer[kBuffer<T> + kLanes<T>];
    filler.fill(e, e + run, buffer, kBuffer<T> + kLanes<T>);
    stream_copy(result + e, buffer, static_cast<std::size_t>(run) * sizeof(T));
    e += run;
  }
  stream_fence();
}

template <class T>
void dist(const void* values, const SegmentDescriptor& descriptor, const Chunk& chunk, void* result, bool stream) {
  const T* v = static_cast<const T*>(values);
  fill_chunk<Constant<T>>(descriptor, chunk, static_cast<T*>(result), stream,
                          [&](int64_t k, int64_t) { return Constant<T>(v[k]); });
}

template <class T>
void index(const void* starts, const void* strides, const SegmentDescriptor& descriptor, const Chunk& chunk,
           void* result, bool stream) {
  const T* start = static_cast<const T*>(starts);
  const T* stride = static_cast<const T*>(strides);
  fill_chunk<Progression<T>>(descriptor, chunk, static_cast<T*>(result), stream,
                             [&](int64_t k, int64_t j) { return Progression<T>(start[k], stride[k], j); });
}

}  // namespace

void add_dist(Kernels& kernels) {
  // The loops depend only on the size of the elements.
  kernels.dist.dist[int(ElemType::kB8)] = kernels.dist.dist[int(ElemType::kU8)] = dist<std::uint8_t>;
  kernels.dist.dist[int(ElemType::kI32)] = kernels.dist.dist[int(ElemType::kF32)] = dist<std::int32_t>;
  kernels.dist.dist[int(ElemType::kI64)] = kernels.dist.dist[int(ElemType::kF64)] = dist<int64_t>;
  kernels.dist.index[int(ElemType::kI32)] = index<std::int32_t>;
  kernels.dist.index[int(ElemType::kI64)] = index<int64_t>;
}

}  // namespace cvl::cpu::CVL_ISA
