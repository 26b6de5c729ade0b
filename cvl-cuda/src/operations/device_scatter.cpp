#include "base/atomics.h"
#include "cvl/dispatch.h"
#include "operations/device_operations.h"
#include "operations/per_segment.h"
#include "operations/tile_heads.h"

namespace cvl::cuda {
namespace {

/// Where the elements of a scatter go.
template <class I>
struct Targets {
  const I* indices;
  const bool* flags;  ///< or null
  Segments from, to;

  explicit Targets(const Scatter& scatter)
      : indices(static_cast<const I*>(scatter.indices.data)),
        flags(scatter.flags == nullptr ? nullptr : static_cast<const bool*>(scatter.flags->data)),
        from(scatter.from),
        to(scatter.to) {}

  static constexpr std::int64_t kNone = -1, kOutOfRange = -2;

  /// The place in the result of element e of segment k; or why it has none.
  template <Starts starts>
  VC_HD std::int64_t of(std::int64_t e, std::int64_t k) const {
    if (flags != nullptr && !flags[e]) return kNone;
    const std::int64_t i = indices[e];
    return i >= 0 && i < to.length<starts>(k) ? to.start<starts>(k) + i : kOutOfRange;
  }
  /// The same where speed does not matter.
  VC_HD std::int64_t of(std::int64_t e) const { return of<Starts::kAny>(e, from.of(e)); }

  template <Starts starts>
  CVL_DEVICE void report(std::int64_t e, std::int64_t k, const Faults& faults) const {
    faults.report(FaultKind::kIndexRange, e, indices[e], to.length<starts>(k));
  }
};

/// An element on its way.
template <class T>
struct Moved {
  std::int64_t place;
  T element;
};

VC_HD std::uint64_t hash_of(std::int64_t place) {
  // The finalizer of splitmix64 (Steele, Lea and Flood, OOPSLA 2014), with Vigna's constants (splitmix64.c, 2015).
  std::uint64_t x = (static_cast<std::uint64_t>(place) + 1) * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

struct Sum {
  VC_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};

struct ScatterShared {
  TileHeads heads;
  std::uint64_t suspicion;
  std::uint32_t is_found;
};

/// A scatter without defaults. If there are as many elements as places, the hashes of the places written are compared
/// with those of all places, for which no memory is needed; else a bit of each place tells whether it is written twice.
/// Whether places are different follows from the sum of what put() returns: only if it is not 0 are two elements with
/// the same place looked for.
template <class T, class I>
struct ScatterOnce {
  Targets<I> targets;
  const T* source;
  T* to;
  std::uint32_t* written;  ///< a bit for each place; null if all places are to be written
  std::uint32_t* marks;    ///< as many words, to be used after a fault: they may be those of the result
  std::uint64_t* sums;     ///< of each tile
  std::int64_t n, places;
  Faults faults;

  VC_HD std::int64_t words() const { return (places + 31) / 32; }

  template <Starts starts>
  CVL_DEVICE Moved<T> find(std::int64_t e, std::int64_t k) const {
    const std::int64_t place = targets.template of<starts>(e, k);
    return {place, place >= 0 ? source[e] : T(0)};
  }
  template <Starts starts>
  CVL_DEVICE std::uint64_t put(std::int64_t e, std::int64_t k, const Moved<T>& moved) const {
    if (moved.place == targets.kOutOfRange) targets.template report<starts>(e, k, faults);
    if (moved.place < 0) return written != nullptr ? 0 : 1;
    store_racing(to + moved.place, moved.element);
    if (written == nullptr) return hash_of(moved.place) - hash_of(e);
    const std::uint32_t bit = std::uint32_t{1} << (moved.place % 32);
    return (atomic_or(written + moved.place / 32, bit) & bit) != 0 ? 1 : 0;
  }
  CVL_DEVICE void clear(std::int64_t k) const {
    if (k < words()) written[k] = 0;
    if (k < places) to[k] = T(0);
  }

  /// Reports the first element whose place an element before it has. One block does this, some elements at a time:
  /// after a fault speed does not matter.
  CVL_DEVICE void report_second_writer(const Block& block, ScatterShared& shared) const {
    constexpr std::int64_t kTogether = 1024;
    const ScatterOnce self = *this;
    block.for_each(words(), [=](std::int64_t w) { self.marks[w] = 0; });
    if (block.leads()) shared.is_found = 0;
    block.sync();
    for (std::int64_t begin = 0; begin < n; begin += kTogether) {
      const std::int64_t count = n - begin < kTogether ? n - begin : kTogether;
      block.for_each(count, [&](std::int64_t k) {
        const std::int64_t place = self.targets.of(begin + k);
        if (place >= 0 && (load_relaxed(self.marks + place / 32) >> (place % 32) & 1) != 0) self.report(begin + k);
      });
      block.for_each(count, [&](std::int64_t k) {
        const std::int64_t place = self.targets.of(begin + k);
        if (place < 0) return;
        const std::uint32_t bit = std::uint32_t{1} << (place % 32);
        if ((atomic_or(self.marks + place / 32, bit) & bit) != 0) store_racing(&shared.is_found, 1u);
      });
      if (shared.is_found == 0) continue;
      block.for_each(count, [&](std::int64_t k) {
        const std::int64_t place = self.targets.of(begin + k);
        for (std::int64_t j = 0; place >= 0 && j < k; ++j)
          if (self.targets.of(begin + j) == place) return self.report(begin + k);
      });
      return;
    }
  }
  CVL_DEVICE void report(std::int64_t e) const { faults.report(FaultKind::kDuplicateTarget, e, targets.indices[e]); }

  /// The same if the sum of what put() returned, which the leader knows, is not 0.
  CVL_DEVICE void check(const Block& block, std::uint64_t sum, ScatterShared& shared) const {
    if (block.leads()) shared.suspicion = sum;
    block.sync();
    if (shared.suspicion != 0) report_second_writer(block, shared);
  }
};

template <Lookup lookup, Starts starts, class T, class I>
void put_once(Executor& executor, const ScatterOnce<T, I>& work) {
  executor.template tiles_then<ScatterShared>(
      tiles_of(work.n),
      [=] CVL_DEVICE(Block & block, ScatterShared & shared) {
        const std::uint64_t sum = map_fold_tile<lookup, Moved<T>>(
            block, work.targets.from, shared.heads, std::uint64_t{0},
            [&](std::int64_t e, std::int64_t k) { return work.template find<starts>(e, k); },
            [&](std::int64_t e, std::int64_t k, const Moved<T>& moved) {
              return work.template put<starts>(e, k, moved);
            },
            Sum{});
        if (block.leads()) work.sums[block.index()] = sum;
      },
      [=] CVL_DEVICE(Block & block, ScatterShared & shared) {
        const auto same = [](std::uint64_t x) { return x; };
        work.check(block, block.fold(work.sums, 0, tiles_of(work.n), std::uint64_t{0}, same, Sum{}), shared);
      });
}

/// Clears the result, scatters and checks in one block.
template <class T, class I>
void put_once_in_one_block(Executor& executor, const ScatterOnce<T, I>& work) {
  const std::int64_t all = work.words() > work.places ? work.words() : work.places;
  executor.template tiles<ScatterShared>(1, [=] CVL_DEVICE(Block & block, ScatterShared & shared) {
    block.for_each(all, [&](std::int64_t k) { work.clear(k); });
    const std::uint64_t sum = block.template map_fold<Moved<T>>(
        static_cast<int>(work.n), std::uint64_t{0},
        [&](std::int64_t e) { return work.template find<Starts::kAny>(e, work.targets.from.of(e)); },
        [&](std::int64_t e, const Moved<T>& moved) {
          return work.template put<Starts::kAny>(e, work.targets.from.of(e), moved);
        },
        Sum{});
    work.check(block, sum, shared);
  });
}

template <class T, class I>
void scatter_once(const Context& context, const Scatter& scatter, Result result) {
  Executor& executor = context.executor;
  const std::int64_t n = scatter.source.length, places = result.length, words = (places + 31) / 32;
  const bool is_permutation = scatter.flags == nullptr && n == places;
  Scratch<std::uint64_t> sums(context.pool(), tiles_of(n) + 1);
  Scratch<std::uint32_t> written(context.pool(), is_permutation ? 0 : words);
  // Words of the result are at hand, unless it has less than four bytes; then one word of the sums is enough.
  const bool fits = places * std::int64_t{sizeof(T)} >= words * 4;
  void* const spare = fits ? result.data : static_cast<void*>(sums.data());
  const ScatterOnce<T, I> work{Targets<I>(scatter),
                               static_cast<const T*>(scatter.source.data),
                               static_cast<T*>(result.data),
                               is_permutation ? nullptr : written.data(),
                               is_permutation ? static_cast<std::uint32_t*>(spare) : written.data(),
                               sums.data(),
                               n,
                               places,
                               context.faults};
  if (!is_permutation) {
    if (n <= kShort && places <= kShort) return put_once_in_one_block(executor, work);
    executor.for_each(words > places ? words : places, [=] CVL_DEVICE(std::int64_t k) { work.clear(k); });
  }
  with_lookup(work.targets.from, work.targets.to,
              [&]<Lookup lookup, Starts starts>() { put_once<lookup, starts>(executor, work); });
}

/// A scatter over defaults: the last of several writes to a place wins. W holds numbers of elements.
template <class I, class W>
struct ScatterLast {
  Targets<I> targets;
  W* last;  ///< writer of each place, from 1 on
  Faults faults;

  template <Starts starts>
  CVL_DEVICE void claim(std::int64_t e, std::int64_t k, std::int64_t place) const {
    if (place == targets.kOutOfRange) targets.template report<starts>(e, k, faults);
    if (place >= 0) atomic_max(last + place, static_cast<W>(e + 1));
  }
  /// The place of element e if it is its last writer.
  VC_HD std::int64_t won(std::int64_t e, std::int64_t place) const {
    return place >= 0 && last[place] == static_cast<W>(e + 1) ? place : -1;
  }
};

template <Lookup lookup, Starts starts, class T, class I, class W>
void put_last(Executor& executor, const ScatterLast<I, W>& work, const T* source, T* to) {
  map_segments<lookup, std::int64_t>(
      executor, work.targets.from,
      [=] CVL_DEVICE(std::int64_t e, std::int64_t k) { return work.targets.template of<starts>(e, k); },
      [=] CVL_DEVICE(std::int64_t e, std::int64_t k, std::int64_t place) { work.template claim<starts>(e, k, place); });
  map_segments<lookup, Moved<T>>(
      executor, work.targets.from,
      [=] CVL_DEVICE(std::int64_t e, std::int64_t k) {
        const std::int64_t place = work.won(e, work.targets.template of<starts>(e, k));
        return Moved<T>{place, place >= 0 ? source[e] : T(0)};
      },
      [=] CVL_DEVICE(std::int64_t, std::int64_t, const Moved<T>& moved) {
        if (moved.place >= 0) to[moved.place] = moved.element;
      });
}

template <class T, class I, class W>
void scatter_last(const Context& context, const Scatter& scatter, Result result) {
  Executor& executor = context.executor;
  const std::int64_t n = scatter.source.length, places = result.length;
  Scratch<W> writers(context.pool(), places);
  const ScatterLast<I, W> work{Targets<I>(scatter), writers.data(), context.faults};
  const T* const source = static_cast<const T*>(scatter.source.data);
  const T* const defaults = static_cast<const T*>(scatter.defaults->data);
  T* const to = static_cast<T*>(result.data);
  const auto begin = [=] CVL_DEVICE(std::int64_t place) {
    work.last[place] = 0;
    if (defaults != to) to[place] = defaults[place];
  };
  if (n <= kShort && places <= kShort)
    return executor.template tiles<NothingShared>(1, [=] CVL_DEVICE(Block & block, NothingShared&) {
      block.for_each(places, begin);
      block.for_each(n, [=](std::int64_t e) {
        const std::int64_t k = work.targets.from.of(e);
        work.template claim<Starts::kAny>(e, k, work.targets.template of<Starts::kAny>(e, k));
      });
      block.for_each(n, [=](std::int64_t e) {
        const std::int64_t place = work.won(e, work.targets.of(e));
        if (place >= 0) to[place] = source[e];
      });
    });
  executor.for_each(places, begin);
  with_lookup(work.targets.from, work.targets.to,
              [&]<Lookup lookup, Starts starts>() { put_last<lookup, starts>(executor, work, source, to); });
}

template <class T, class I, Starts starts>
struct Replace {
  PerSegment<I> indices;
  PerSegment<T> values;
  T* to;
  Segments segments;
  Faults faults;

  CVL_DEVICE void put(std::int64_t k) const {
    const std::int64_t at = indices[k], length = segments.length<starts>(k);
    if (at >= 0 && at < length)
      to[segments.start<starts>(k) + at] = values[k];
    else if (length > 0)
      faults.report(FaultKind::kIndexRange, k, at, length);
  }
};

template <Starts starts, class T, class I>
void replace_as(const Context& context, Operand a, Operand i, Operand v, const Segments& all, Result result) {
  Executor& executor = context.executor;
  const Replace<T, I, starts> work{PerSegment<I>(i), PerSegment<T>(v), static_cast<T*>(result.data), all,
                                   context.faults};
  const T* const from = static_cast<const T*>(a.data);
  const std::int64_t n = a.length, segments = all.segments;
  if (from != work.to && n <= kShort && segments <= kShort)
    return executor.template tiles<NothingShared>(1, [=] CVL_DEVICE(Block & block, NothingShared&) {
      block.for_each(n, [=](std::int64_t e) { work.to[e] = from[e]; });
      block.for_each(segments, [=](std::int64_t k) { work.put(k); });
    });
  if (from != work.to) executor.copy(work.to, from, static_cast<std::size_t>(n) * sizeof(T));
  executor.for_each(segments, [=] CVL_DEVICE(std::int64_t k) { work.put(k); });
}

}  // namespace

void scatter(const Context& context, const Scatter& scatter, Result result) {
  with_size(result.type, [&]<class T>() {
    with_int(scatter.indices.type, [&]<class I>() {
      if (scatter.defaults == nullptr)
        scatter_once<T, I>(context, scatter, result);
      else if (scatter.source.length < UINT32_MAX)
        scatter_last<T, I, std::uint32_t>(context, scatter, result);
      else
        scatter_last<T, I, std::uint64_t>(context, scatter, result);
    });
  });
}

void replace(const Context& context, Operand a, Operand i, Operand v, const SegmentMap& map, Result result) {
  const Segments segments(map);
  with_size(result.type, [&]<class T>() {
    with_int(i.type, [&]<class I>() {
      with_starts(segments, [&]<Starts starts>() { replace_as<starts, T, I>(context, a, i, v, segments, result); });
    });
  });
}

}  // namespace cvl::cuda
