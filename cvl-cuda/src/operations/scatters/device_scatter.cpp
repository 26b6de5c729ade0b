#include "base/atomics.h"
#include "cvl/dispatch.h"
#include "operations/device_operations.h"
#include "operations/per_segment.h"
#include "operations/scatters/scattering.h"
#include "operations/tile_heads.h"

namespace cvl::cuda {
namespace {

template <class I>
Targets<const I*> targets_of(const Scatter& scatter) {
  return {static_cast<const I*>(scatter.indices.data),
          !scatter.flags ? nullptr : static_cast<const bool*>(scatter.flags->data), Segments(scatter.from),
          Segments(scatter.to)};
}

struct ScatterShared {
  TileHeads heads;
  Suspicion suspicion;
};

template <class T, class I>
using Once = ScatterOnce<T, const T*, const I*, T*>;
template <class I, class W>
using Last = ScatterLast<const I*, W>;

/// Scatters and checks the targets. `sums` has room for one sum per tile.
template <Lookup lookup, Starts starts, class T, class I>
void put_once(Executor& executor, const Once<T, I>& work, std::uint64_t* sums) {
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
        if (block.leads()) sums[block.index()] = sum;
      },
      [=] CVL_DEVICE(Block & block, ScatterShared & shared) {
        const auto same = [](std::uint64_t x) { return x; };
        work.check(block, block.fold(sums, 0, tiles_of(work.n), std::uint64_t{0}, same, Sum{}), shared.suspicion);
      });
}

template <class T, class I>
void scatter_once(const Context& context, const Scatter& scatter, Result result) {
  Executor& executor = context.executor;
  const std::int64_t n = scatter.source.length, positions = result.length, words = (positions + 31) / 32;
  const bool is_permutation = !scatter.flags && n == positions;
  Scratch<std::uint64_t> sums(context.pool(), tiles_of(n) + 1);
  Scratch<std::uint32_t> written(context.pool(), is_permutation ? 0 : words);
  // After a fault the marks overwrite the result. A result of less than four bytes has one word of marks, in the sums.
  const bool fits = positions * std::int64_t{sizeof(T)} >= words * 4;
  void* const spare = fits ? result.data : static_cast<void*>(sums.data());
  const Once<T, I> work{targets_of<I>(scatter),
                        static_cast<const T*>(scatter.source.data),
                        static_cast<T*>(result.data),
                        is_permutation ? nullptr : written.data(),
                        is_permutation ? static_cast<std::uint32_t*>(spare) : written.data(),
                        n,
                        positions,
                        context.faults};
  if (!is_permutation)
    executor.for_each(words > positions ? words : positions, [=] CVL_DEVICE(std::int64_t k) { work.clear(k); });
  with_lookup(work.targets.from, work.targets.to,
              [&]<Lookup lookup, Starts starts>() { put_once<lookup, starts, T, I>(executor, work, sums.data()); });
}

/// Finds the last writer of each target.
template <Lookup lookup, Starts starts, class I, class W>
void claim_last(Executor& executor, const Last<I, W>& work) {
  map_segments<lookup, std::int64_t>(
      executor, work.targets.from,
      [=] CVL_DEVICE(std::int64_t e, std::int64_t k) { return work.targets.template of<starts>(e, k); },
      [=] CVL_DEVICE(std::int64_t e, std::int64_t k, std::int64_t position) {
        work.template claim<starts>(e, k, position);
      });
}

template <Lookup lookup, Starts starts, class T, class I, class W>
void put_last(Executor& executor, const Last<I, W>& work, const T* source, T* to) {
  map_segments<lookup, Moved<T>>(
      executor, work.targets.from,
      [=] CVL_DEVICE(std::int64_t e, std::int64_t k) {
        const std::int64_t position = work.won(e, work.targets.template of<starts>(e, k));
        return Moved<T>{position, position >= 0 ? source[e] : T(0)};
      },
      [=] CVL_DEVICE(std::int64_t, std::int64_t, const Moved<T>& moved) {
        if (moved.position >= 0) to[moved.position] = moved.element;
      });
}

template <class T, class I, class W>
void scatter_last(const Context& context, const Scatter& scatter, Result result) {
  Executor& executor = context.executor;
  const std::int64_t positions = result.length;
  Scratch<W> writers(context.pool(), positions);
  const Last<I, W> work{targets_of<I>(scatter), writers.data(), context.faults};
  const T* const source = static_cast<const T*>(scatter.source.data);
  const T* const defaults = static_cast<const T*>(scatter.defaults->data);
  T* const to = static_cast<T*>(result.data);
  const auto begin = [=] CVL_DEVICE(std::int64_t position) {
    work.last[position] = 0;
    if (defaults != to) to[position] = defaults[position];
  };
  executor.for_each(positions, begin);
  with_lookup(work.targets.from, work.targets.to, [&]<Lookup lookup, Starts starts>() {
    claim_last<lookup, starts>(executor, work);
    put_last<lookup, starts>(executor, work, source, to);
  });
}

template <Starts starts, class T, class I>
void replace_as(const Context& context, Operand a, Operand i, Operand v, const Segments& all, Result result) {
  Executor& executor = context.executor;
  const Replacing<PerSegment<T>, PerSegment<I>, T*, starts> work{PerSegment<I>(i), PerSegment<T>(v),
                                                                 static_cast<T*>(result.data), all, context.faults};
  const T* const from = static_cast<const T*>(a.data);
  const std::int64_t n = a.length, segments = all.segments;
  if (from != work.to) executor.copy(work.to, from, static_cast<std::size_t>(n) * sizeof(T));
  executor.for_each(segments, [=] CVL_DEVICE(std::int64_t k) { work.put(k); });
}

template <class W>
void clear_counts(const Context& context, W* counts, std::int64_t length) {
  context.executor.for_each(length, [=] CVL_DEVICE(std::int64_t position) { counts[position] = 0; });
}

/// Counts the elements by value. Requires that `counts` is zero.
template <Lookup lookup, Starts starts, class W>
void count_as(const Context& context, Operand a, const PerSegment<W>& first, const Segments& from, const Segments& to,
              W* counts) {
  const W* const elements = static_cast<const W*>(a.data);
  map_segments<lookup, std::int64_t>(
      context.executor, from,
      [=] CVL_DEVICE(std::int64_t e, std::int64_t k) {
        const W position = elements[e] - first[k];
        return position < static_cast<std::uint64_t>(to.template length<starts>(k))
                   ? static_cast<std::int64_t>(position)
                   : -1;
      },
      [=] CVL_DEVICE(std::int64_t, std::int64_t k, std::int64_t position) {
        if (position >= 0) atomic_add(counts + to.template start<starts>(k) + position, W{1});
      });
}

}  // namespace

void run(const Context& context, const Scatter& scatter) {
  with_size(scatter.result.type, [&]<class T>() {
    with_int(scatter.indices.type, [&]<class I>() {
      if (!scatter.defaults)
        scatter_once<T, I>(context, scatter, scatter.result);
      else if (scatter.source.length < UINT32_MAX)
        scatter_last<T, I, std::uint32_t>(context, scatter, scatter.result);
      else
        scatter_last<T, I, std::uint64_t>(context, scatter, scatter.result);
    });
  });
}

void run(const Context& context, const Replace& replace) {
  const Segments segments(replace.descriptor);
  with_size(replace.result.type, [&]<class T>() {
    with_int(replace.i.type, [&]<class I>() {
      with_starts(segments, [&]<Starts starts>() {
        replace_as<starts, T, I>(context, replace.a, replace.i, replace.v, segments, replace.result);
      });
    });
  });
}

void run(const Context& context, const Count& count) {
  const Segments elements(count.from), positions(count.to);
  with_int(count.result.type, [&]<class I>() {
    using W = std::make_unsigned_t<I>;
    W* const counts = static_cast<W*>(count.result.data);
    clear_counts(context, counts, count.result.length);
    with_lookup(elements, positions, [&]<Lookup lookup, Starts starts>() {
      count_as<lookup, starts, W>(context, count.a, PerSegment<W>(count.start), elements, positions, counts);
    });
  });
}

}  // namespace cvl::cuda
