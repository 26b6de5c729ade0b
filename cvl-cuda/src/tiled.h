#pragma once

/// Scans and folds of any length, made of tiles that a block holds in registers: the totals of the tiles are scanned
/// the same way. A tile is the same on every device, so floats are associated in the same way everywhere and every
/// time.

#include "executor.h"
#include "segments.h"

namespace cvl::cuda {

template <class T>
struct LoadFrom {
  const T* from;
  VC_HD T operator()(std::int64_t e) const { return from[e]; }
};
template <class T>
struct StoreTo {
  T* to;
  VC_HD void operator()(std::int64_t e, T value) const { to[e] = value; }
};

/// Up to so many elements an operation is one launch of one block, where it would else be several launches.
inline constexpr std::int64_t kShort = 4 * kTile;

constexpr std::int64_t tiles_of(std::int64_t n) { return (n + kTile - 1) / kTile; }

/// store(e, combination of load(0) … load(e - 1)) for each e below n; of nothing, `neutral`. Reads everything twice.
template <class T, class Combine, class Load, class Store>
void scan_by_tiles(Executor& executor, std::int64_t n, T neutral, Combine combine, Load load, Store store) {
  const std::int64_t tiles = tiles_of(n);
  if (tiles <= 1) {
    if (n == 0) return;
    const int count = static_cast<int>(n);
    executor.template tiles<T>(1, [=] CVL_DEVICE(Block & block) {
      Items<T> items;
      block.load(items, 0, count, neutral, load);
      block.scan(items, neutral, combine);
      block.store(items, 0, count, store);
    });
    return;
  }
  Scratch<T> totals(executor.pool(), tiles);
  T* const total = totals.data();
  executor.template tiles<T>(tiles, [=] CVL_DEVICE(Block & block) {
    const std::int64_t begin = block.index() * kTile, left = n - begin;
    Items<T> items;
    block.load(items, begin, left < kTile ? int(left) : kTile, neutral, load);
    const T sum = block.scan(items, neutral, combine);
    if (block.leads()) total[block.index()] = sum;
  });
  scan_by_tiles(executor, tiles, neutral, combine, LoadFrom<T>{total}, StoreTo<T>{total});
  executor.template tiles<T>(tiles, [=] CVL_DEVICE(Block & block) {
    const std::int64_t begin = block.index() * kTile, left = n - begin;
    const int count = left < kTile ? int(left) : kTile;
    Items<T> items;
    block.load(items, begin, count, neutral, load);
    block.scan(items, total[block.index()], combine);
    block.store(items, begin, count, store);
  });
}

/// The same where the order of combination does not change the result: in one pass if it is long.
template <class T, class Combine, class Load, class Store>
void scan_exact(Executor& executor, std::int64_t n, T neutral, Combine combine, Load load, Store store) {
  if (n > kTile)
    executor.scan(n, neutral, combine, load, store);
  else
    scan_by_tiles(executor, n, neutral, combine, load, store);
}

/// store(0, combination of load(0) … load(n - 1) in any order), n > 0.
template <class T, class Combine, class Load, class Store>
void fold(Executor& executor, std::int64_t n, T neutral, Combine combine, Load load, Store store) {
  constexpr std::int64_t kMost = 1024;
  const std::int64_t tiles = tiles_of(n), blocks = tiles < kMost ? tiles : kMost;
  if (blocks == 1) {
    executor.template folds<T>(1, [=] CVL_DEVICE(Block & block) {
      const T sum = block.fold(0, n, neutral, load, combine);
      if (block.leads()) store(0, sum);
    });
    return;
  }
  const std::int64_t share = (tiles + blocks - 1) / blocks * kTile;
  Scratch<T> partial(executor.pool(), blocks);
  T* const sums = partial.data();
  executor.template folds<T>(blocks, [=] CVL_DEVICE(Block & block) {
    const std::int64_t begin = block.index() * share, end = begin + share < n ? begin + share : n;
    const T sum = block.fold(begin, end, neutral, load, combine);
    if (block.leads()) sums[block.index()] = sum;
  });
  executor.template folds<T>(1, [=] CVL_DEVICE(Block & block) {
    const T sum = block.fold(0, blocks, neutral, LoadFrom<T>{sums}, combine);
    if (block.leads()) store(0, sum);
  });
}

/// The elements since the last head: what a segmented scan combines. Head marks of Blelloch, "Vector models for
/// data-parallel computing" (MIT Press 1990), section 4.3.
template <class T>
struct Run {
  T value;
  bool has_head;
};

template <class T, class Combine>
struct CombineRuns {
  Combine combine;
  VC_HD Run<T> operator()(const Run<T>& a, const Run<T>& b) const {
    if (b.has_head) return b;
    return {combine(a.value, b.value), a.has_head};
  }
};

/// store(k, combination of load(e) for the elements of segment k), of an empty one store(k, identity). Each element is
/// read once, whatever the segments: a block finishes those that end in its tile as if they began there, and leaves
/// what comes before the first of them to a scan of the tiles' last runs. fetch(k) is what was stored.
template <class T, class Combine, class Load, class Fetch, class Store>
void fold_segments(Executor& executor, const Segments& segments, T neutral, T identity, Combine combine, Load load,
                   Fetch fetch, Store store) {
  const std::int64_t n = segments.elements, tiles = tiles_of(n);
  const std::int64_t maybe_empty = n > 0 && segments.regular_length >= 0 ? 0 : segments.segments;
  const bool in_one_block = tiles == 1 && maybe_empty <= kShort;
  if (!in_one_block)
    executor.for_each(maybe_empty, [=] CVL_DEVICE(std::int64_t k) {
      if (segments.length(k) == 0) store(k, identity);
    });
  if (n == 0) return;
  const CombineRuns<T, Combine> combine_runs{combine};
  const Run<T> nothing{neutral, false};
  Scratch<Run<T>> runs(executor.pool(), tiles);
  Scratch<std::int64_t> unfinished(executor.pool(), tiles);
  Run<T>* const last_run = runs.data();
  std::int64_t* const open = unfinished.data();
  if (tiles > 1) executor.fill_zero(open, static_cast<std::size_t>(tiles) * sizeof *open);
  executor.template tiles<Run<T>>(tiles, [=] CVL_DEVICE(Block & block) {
    const std::int64_t tile = block.index(), begin = tile * kTile, left = n - begin;
    const int count = left < kTile ? int(left) : kTile;
    if (in_one_block)
      block.for_each(maybe_empty, [=](std::int64_t k) {
        if (segments.length(k) == 0) store(k, identity);
      });
    Items<Run<T>> items;
    block.load(items, begin, count, nothing, [=](std::int64_t e) { return Run<T>{load(e), segments.is_head(e)}; });
    const Run<T> last = block.scan_inclusive(items, combine_runs);
    if (block.leads()) last_run[tile] = last;
    block.store(items, begin, count, [=](std::int64_t e, const Run<T>& run) {
      if (e + 1 < n && !segments.is_head(e + 1)) return;
      const std::int64_t k = segments.of(e);
      store(k, run.value);
      if (!run.has_head) open[tile] = k + 1;
    });
  });
  if (tiles == 1) return;
  scan_by_tiles(executor, tiles, nothing, combine_runs, LoadFrom<Run<T>>{last_run}, StoreTo<Run<T>>{last_run});
  executor.for_each(tiles, [=] CVL_DEVICE(std::int64_t tile) {
    if (open[tile] == 0) return;
    const std::int64_t k = open[tile] - 1;
    store(k, combine(last_run[tile].value, fetch(k)));
  });
}

}  // namespace cvl::cuda
