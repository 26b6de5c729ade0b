#include <algorithm>
#include <atomic>
#include <bit>
#include <type_traits>
#include <vector>

#include "base/check.h"
#include "base/chunks.h"
#include "cvl/op_dispatch.h"
#include "operations/context.h"
#include "operations/operations.h"
#include "operations/scatters/chunked_scatter.h"
#include "tuning/chunk_tuning.h"

namespace cvl::cpu {
namespace {

/// Combines elements with places one after another. The combination is held in a register while the place stays the
/// same, because each load of what was just stored takes several times as long as a sum.
template <class M, class T>
class Combiner {
 public:
  Combiner() = default;
  Combiner(const Combiner&) = delete;
  Combiner& operator=(const Combiner&) = delete;
  ~Combiner() { *place_ = held_; }

  void combine(T* place, T x) {
    if (place != place_) {
      *place_ = held_;
      place_ = place;
      held_ = *place;
    }
    held_ = vcode::accumulate<M>(x, held_);
  }

 private:
  T none_{};
  T* place_ = &none_;
  T held_{};
};

/// An accumulation of elements of type T, at indices of type I, into a result that holds the defaults.
template <class M, class T, class I>
struct Accumulating {
  /// An element and its place in a part of the result.
  struct Moved {
    T element;
    std::uint32_t place;
  };

  Context& context;
  const T* const source;
  const I* const indices;
  const SegmentDescriptor &from, &to;
  T* const result;

  void run();

 private:
  /// Calls put(e, place) for each element of a chunk, in order, with its place in the result. False, after a report, if
  /// an index is out of range.
  template <class Put>
  bool for_each_place(const Chunk& chunk, Put&& put) const;

  /// Combines the elements of a chunk, in order, with the places of a vector as long as the result.
  void combine(const Chunk& chunk, T* into) const;
  void in_order() { combine({0, from.elements, 0, from.segments}, result); }
  void by_copies(const Partition& shares);
  void by_parts(const Partition& shares);
};

template <class M, class T, class I>
template <class Put>
bool Accumulating<M, T, I>::for_each_place(const Chunk& chunk, Put&& put) const {
  IndexFault fault;
  for (std::int64_t k = chunk.segment_begin, last = std::min(chunk.segment_end + 1, from.segments); k < last; ++k) {
    const std::int64_t start = to.start(k), size = to.start(k + 1) - start;
    const std::int64_t end = std::min(chunk.element_end, from.start(k + 1));
    for (std::int64_t e = std::max(chunk.element_begin, from.start(k)); e < end; ++e) {
      const std::int64_t i = indices[e];
      if (static_cast<std::uint64_t>(i) < static_cast<std::uint64_t>(size)) [[likely]]
        put(e, start + i);
      else if (!fault.any())
        fault = {e, i, size};
    }
  }
  return context.faults.check(fault);
}

template <class M, class T, class I>
void Accumulating<M, T, I>::combine(const Chunk& chunk, T* into) const {
  Combiner<M, T> combiner;
  for_each_place(chunk, [&](std::int64_t e, std::int64_t place) { combiner.combine(into + place, source[e]); });
}

/// Each thread combines a share of the elements in a copy of the result. The copies are then combined.
template <class M, class T, class I>
void Accumulating<M, T, I>::by_copies(const Partition& shares) {
  const std::int64_t places = to.elements;
  auto copies = context.arena.template scratch<T>(shares.chunks() * places);
  if (copies == nullptr) return in_order();
  context.parallel.for_each(shares.chunks(), [&](std::int64_t s) {
    T* const own = copies.get() + s * places;
    std::fill_n(own, places, vcode::accumulation_identity<M, T>());
    combine(shares.chunk(s), own);
  });
  context.parallel.for_ranges(places, kScatterChunkItems, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = 0; s < shares.chunks(); ++s)
      for (std::int64_t p = begin; p < end; ++p)
        result[p] = vcode::accumulate<M>(copies.get()[s * places + p], result[p]);
  });
}

/// Moves the elements to parts of the result, in a stable order. One thread then combines the elements of a part, so
/// the order of the elements of a place is kept.
template <class M, class T, class I>
void Accumulating<M, T, I>::by_parts(const Partition& shares) {
  const int bits = std::bit_width(static_cast<std::uint64_t>(to.elements - 1));
  const int bits_of_place = std::clamp(bits - kPartBits, 0, 32);
  const std::int64_t parts = ((to.elements - 1) >> bits_of_place) + 1;
  std::vector<std::int64_t> next(static_cast<std::size_t>(parts * shares.chunks()));
  auto moved = context.arena.template scratch<Moved>(from.elements);
  if (moved == nullptr) return in_order();
  std::atomic<bool> good = true;
  context.parallel.for_each(shares.chunks(), [&](std::int64_t s) {
    std::int64_t* const counts = next.data() + s * parts;
    if (!for_each_place(shares.chunk(s), [&](std::int64_t, std::int64_t place) { ++counts[place >> bits_of_place]; }))
      good = false;
  });
  if (!good) return;
  std::vector<std::int64_t> begins{0};
  for (std::int64_t part = 0, begin = 0; part < parts; ++part) {
    for (std::int64_t s = 0; s < shares.chunks(); ++s)
      begin += std::exchange(next[static_cast<std::size_t>(s * parts + part)], begin);
    begins.push_back(begin);
  }
  context.parallel.for_each(shares.chunks(), [&](std::int64_t s) {
    std::int64_t* const own = next.data() + s * parts;
    for_each_place(shares.chunk(s), [&](std::int64_t e, std::int64_t place) {
      const std::int64_t part = place >> bits_of_place;
      moved[static_cast<std::size_t>(own[part]++)] = {source[e],
                                                      static_cast<std::uint32_t>(place - (part << bits_of_place))};
    });
  });
  context.parallel.for_each(parts, [&](std::int64_t part) {
    T* const first = result + (part << bits_of_place);
    Combiner<M, T> combiner;
    for (std::int64_t e = begins[static_cast<std::size_t>(part)]; e < begins[static_cast<std::size_t>(part + 1)]; ++e) {
      const Moved& next_moved = moved[static_cast<std::size_t>(e)];
      combiner.combine(first + next_moved.place, next_moved.element);
    }
  });
}

template <class M, class T, class I>
void Accumulating<M, T, I>::run() {
  const std::int64_t threads = context.parallel.threads(), items = from.elements + from.segments;
  const Partition shares(from, std::max(kAccumulateShare, (items + threads - 1) / threads));
  const bool few = to.elements * shares.chunks() * kElementsForCopies <= from.elements;
  if (!std::is_floating_point_v<T> && few && shares.chunks() > 1) return by_copies(shares);
  if (shares.chunks() >= kSharesForParts || to.elements * std::int64_t{sizeof(T)} > kInOrderBytes * to.segments)
    return by_parts(shares);
  in_order();
}

}  // namespace

void run(Context& context, const Accumulate& accumulate) {
  const Operand &source = accumulate.source, &indices = accumulate.indices, &defaults = accumulate.defaults;
  const SegmentDescriptor &from = accumulate.from, &to = accumulate.to;
  const Result& result = accumulate.result;
  VC_CHECK(source.length == from.elements && indices.length == from.elements && from.segments == to.segments);
  VC_CHECK(source.type == result.type && defaults.type == result.type && result.length == to.elements);
  context.faults.begin_operation();
  copy_defaults(context, defaults, result);
  with_monoid(accumulate.monoid, result.type, [&]<class M, class T>() {
    with_int(indices.type, [&]<class I>() {
      Accumulating<M, T, I>{context, static_cast<const T*>(source.data), static_cast<const I*>(indices.data), from,
                            to,      static_cast<T*>(result.data)}
          .run();
    });
  });
}

}  // namespace cvl::cpu
