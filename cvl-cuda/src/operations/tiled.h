#pragma once

/// Scans and folds of vectors of any length, by tiles that a block holds in registers. The size of a tile is the same
/// on every device, and the sums of tiles are combined in an order that depends on their number only, so floats are
/// associated in the same way on every device and in every run.

#include "executor/blocks.h"
#include "operations/device_segments.h"
#include "operations/load_store.h"
#include "vcode/check.h"

namespace cvl::cuda {

constexpr std::int64_t tiles_of(std::int64_t n) { return (n + kTile - 1) / kTile; }

/// The sums of tiles, of groups of kGroup tiles, and of all elements up to the end of each group of groups. From these
/// a tile computes the sum of all elements before it with an association that does not depend on time. The sums of
/// tiles and groups are published as soon as their elements are read; only those up to the end of a group of groups
/// form a chain. The scan in a single pass is that of Merrill and Garland, "Single-pass parallel prefix scan with
/// decoupled look-back" (NVIDIA 2016), whose look-back combines whatever sums are published when it looks.
template <class T, class Combine>
struct TileSums {
  static constexpr int kGroup = 32;

  Published<T> published;  ///< sums of the tiles, then of the groups, then up to the end of each group of groups
  std::int64_t tiles;
  T neutral;
  Combine combine;

  static constexpr std::int64_t groups(std::int64_t tiles) { return tiles / kGroup; }
  static constexpr std::int64_t count(std::int64_t tiles) {
    return tiles == 1 ? 0 : tiles + groups(tiles) + groups(groups(tiles));
  }

  /// The sum of all elements before a tile whose own sum is `total`: see Block::scan_after.
  CVL_DEVICE T before(const Block& block, const T& total) const {
    if (tiles == 1) return neutral;
    const std::int64_t tile = block.index(), group = tile / kGroup, outer = group / kGroup;
    const std::int64_t first_group = tiles, first_outer = tiles + groups(tiles);
    const int in_group = int(tile % kGroup), in_outer = int(group % kGroup);
    if (block.leads()) published.put(tile, total);
    const T of_tiles = published.fold(group * kGroup, in_group, neutral, combine);
    const bool ends_group = in_group == kGroup - 1;
    if (ends_group && block.leads()) published.put(first_group + group, combine(of_tiles, total));
    const T of_groups = published.fold(first_group + outer * kGroup, in_outer, neutral, combine);
    const T up_to_outer = published.fold(first_outer + outer - 1, outer > 0 ? 1 : 0, neutral, combine);
    const T sum = combine(combine(up_to_outer, of_groups), of_tiles);
    if (ends_group && in_outer == kGroup - 1 && block.leads()) published.put(first_outer + outer, combine(sum, total));
    return sum;
  }
};

/// Exclusive scan: store(e, combination of load(0) … load(e - 1)) for each e below n, store(0, neutral). Loads each
/// element once.
template <class T, class Combine, class Load, class Store>
void scan_in_order(Executor& executor, std::int64_t n, T neutral, Combine combine, Load load, Store store) {
  if (n == 0) return;
  using Sums = TileSums<T, Combine>;
  const std::int64_t tiles = tiles_of(n), count = Sums::count(tiles);
  Scratch<T> values(executor.pool(), count);
  Scratch<std::uint32_t> words(executor.pool(), count + 1);
  if (tiles > 1) executor.fill_zero(words.data(), static_cast<std::size_t>(count + 1) * sizeof(std::uint32_t));
  const Sums sums{{values.data(), words.data()}, tiles, neutral, combine};
  std::uint32_t* const begun = tiles > 1 ? words.data() + count : nullptr;
  executor.template tiles_in_order<T>(tiles, begun, [=] CVL_DEVICE(Block & block) {
    const std::int64_t begin = block.index() * kTile, left = n - begin;
    const int here = left < kTile ? int(left) : kTile;
    Items<T> items;
    block.load(items, begin, here, neutral, load);
    auto before = [&](const T& total) { return sums.before(block, total); };
    block.scan_after(items, combine, before);
    block.store(items, begin, here, store);
  });
}

/// store(0, combination of load(0) … load(n - 1)), n > 0. The association depends on n only.
template <class T, class Combine, class Load, class Store>
void fold(Executor& executor, std::int64_t n, T neutral, Combine combine, Load load, Store store) {
  VC_CHECK(n > 0);
  constexpr std::int64_t kMost = 1024;
  const std::int64_t tiles = tiles_of(n), blocks = tiles < kMost ? tiles : kMost;
  const std::int64_t share = (tiles + blocks - 1) / blocks * kTile;
  Scratch<T> partial(executor.pool(), blocks);
  T* const sums = partial.data();
  executor.template folds<T>(blocks, [=] CVL_DEVICE(Block & block) {
    const std::int64_t begin = block.index() * share, end = begin + share < n ? begin + share : n;
    const T sum = block.fold(begin, end, neutral, load, combine);
    if (!block.leads()) return;
    if (blocks == 1)
      store(0, sum);
    else
      sums[block.index()] = sum;
  });
  if (blocks == 1) return;
  executor.template folds<T>(1, [=] CVL_DEVICE(Block & block) {
    const T sum = block.fold(0, blocks, neutral, LoadFrom<T>{sums}, combine);
    if (block.leads()) store(0, sum);
  });
}

/// The combination of the elements since the last head: the operand of a segmented scan. The head flags are those of
/// Blelloch, "Vector models for data-parallel computing" (MIT Press 1990), section 4.3.
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

/// Stores the identity for segment k if the segment is empty.
template <class T, class Store>
struct StoreToEmpty {
  Segments segments;
  T identity;
  Store store;
  VC_HD void operator()(std::int64_t k) const {
    if (segments.length(k) == 0) store(k, identity);
  }
};

/// Segmented fold: store(k, combination of load(e) for the elements of segment k), or store(k, identity) if the segment
/// is empty. Each element is loaded once, whatever the segments: a block stores the segments that end in its tile as if
/// they began there. Of the first of these, the part in the tiles before is the result of a scan of the tiles' last
/// runs, and is added afterwards. fetch(k) returns what store(k, …) stored.
template <class T, class Combine, class Load, class Fetch, class Store>
void fold_segments(Executor& executor, const Segments& segments, T neutral, T identity, Combine combine, Load load,
                   Fetch fetch, Store store) {
  const std::int64_t n = segments.elements, tiles = tiles_of(n);
  const std::int64_t maybe_empty = n > 0 && segments.regular_length >= 0 ? 0 : segments.segments;
  const bool in_one_block = tiles == 1 && maybe_empty <= kShort;
  const StoreToEmpty<T, Store> store_to_empty{segments, identity, store};
  if (!in_one_block) executor.for_each(maybe_empty, store_to_empty);
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
    if (in_one_block) block.for_each(maybe_empty, store_to_empty);
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
  scan_in_order(executor, tiles, nothing, combine_runs, LoadFrom<Run<T>>{last_run}, StoreTo<Run<T>>{last_run});
  executor.for_each(tiles, [=] CVL_DEVICE(std::int64_t tile) {
    if (open[tile] == 0) return;
    const std::int64_t k = open[tile] - 1;
    store(k, combine(last_run[tile].value, fetch(k)));
  });
}

}  // namespace cvl::cuda
