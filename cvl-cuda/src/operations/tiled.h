#pragma once

/// Scans and folds of vectors of any length, in tiles that a block holds in registers. The size of a tile is the same
/// on every device, and the order in which the sums of tiles are combined depends only on their number, so floats are
/// associated in the same way on every device and in every run.

#include "base/check.h"
#include "operations/load_store.h"
#include "operations/look_back.h"
#include "operations/tile_heads.h"

namespace cvl::cuda {

/// Exclusive scan: to[e] = combination of convert(from[0]) … convert(from[e - 1]) for each e below n; to[0] = first.
/// Only `known` elements of `from` are read, n or n - 1. `to` may be `from`.
template <class T, class S, class Combine, class Convert>
void scan_flat(Executor& executor, const S* from, std::int64_t known, std::int64_t n, T* to, T identity, T first,
               Combine combine, Convert convert) {
  using Back = LookBack<Part<T>, CombineParts<Combine>>;
  const std::int64_t tiles = tiles_of(n, kTileOf<T>);
  executor.template tiles_in_order<NothingShared>(
      tiles, Back::words(tiles), [=] CVL_DEVICE(Block & block, NothingShared&, const Board& board) {
        const std::int64_t tile = block.index(), begin = tile * kTileOf<T>;
        const Back look_back{board, tiles, {identity}, {combine}};
        Items<T> items;
        block.load(items, from + begin, count_in_tile(tile, known, kTileOf<T>), identity, convert);
        auto before = [&](const T& total, bool) { return look_back.before(block, {total}).value; };
        block.template scan<false>(items, identity, identity, NoHeads{}, combine, before);
        if (tile == 0 && block.leads()) items.at[0] = first;
        block.store(items, to + begin, count_in_tile(tile, n, kTileOf<T>));
      });
}

/// Exclusive scan of each segment, whose first element becomes `first`. `to` may be `from`.
template <class T, class Combine, class Convert>
void scan_segments(Executor& executor, const Segments& segments, const T* from, T* to, T identity, T first,
                   Combine combine, Convert convert) {
  using Back = LookBack<Run<T>, CombineRuns<Combine>>;
  using Heads = HeadsOfTile<kTileOf<T>>;
  const std::int64_t n = segments.elements, tiles = tiles_of(n, kTileOf<T>);
  executor.template tiles_in_order<Heads>(
      tiles, Back::words(tiles), [=] CVL_DEVICE(Block & block, Heads & heads, const Board& board) {
        const std::int64_t tile = block.index(), begin = tile * kTileOf<T>;
        const Back look_back{board, tiles, {identity, false}, {combine}};
        const int count = count_in_tile(tile, n, kTileOf<T>);
        block.prefetch(from + begin, count);
        find_heads(block, segments, heads);
        Items<T> items;
        block.load(items, from + begin, count, identity, convert);
        auto before = [&](const T& total, bool has_head) { return look_back.before(block, {total, has_head}).value; };
        block.template scan<false>(items, identity, first, heads, combine, before);
        block.store(items, to + begin, count);
      });
}

/// Calls store(combination of convert(from[0]) … convert(from[n - 1])), n > 0. The association depends on n only. The
/// sums of all blocks are combined by the block that ends last.
template <class T, class S, class Combine, class Convert, class Store>
void fold(Executor& executor, const S* from, std::int64_t n, T identity, Combine combine, Convert convert,
          Store store) {
  VC_CHECK(n > 0);
  constexpr std::int64_t kMost = 1024;
  const std::int64_t tiles = tiles_of(n), blocks = tiles < kMost ? tiles : kMost;
  const std::int64_t share = (tiles + blocks - 1) / blocks * kTile;
  Scratch<T> partial(executor.pool(), blocks);
  T* const sums = partial.data();
  executor.template tiles_then<NothingShared>(
      blocks,
      [=] CVL_DEVICE(Block & block, NothingShared&) {
        const std::int64_t begin = block.index() * share, end = begin + share < n ? begin + share : n;
        const T sum = block.fold(from, begin, end, identity, convert, combine);
        if (block.leads()) sums[block.index()] = sum;
      },
      [=] CVL_DEVICE(Block & block, NothingShared&) {
        const T sum = block.fold(
            sums, 0, blocks, identity, [](const T& x) { return x; }, combine);
        if (block.leads()) store(sum);
      });
}

/// Segmented fold: store(k, combination of the elements of segment k), or store(k, identity) if the segment is empty.
/// Each element is loaded once and each result stored once, in one launch, whatever the segments. A block stores the
/// results of the segments that end in its tile; the first of these may have begun in an earlier tile. Each block also
/// stores `empty_value` for the empty segments in its share of all segments. `lookup` is kHeads, or kSearch for
/// searched segments; `resident` as for Executor::tiles_in_order.
template <Lookup lookup, int resident, class T, class S, class Combine, class Convert, class Store>
void fold_segments(Executor& executor, const Segments& segments, const S* from, T identity, T empty_value,
                   Combine combine, Convert convert, Store store) {
  using Back = LookBack<Run<T>, CombineRuns<Combine>>;
  using Heads = HeadsOfTile<kTileOf<T>>;
  const std::int64_t n = segments.elements, tiles = tiles_of(n, kTileOf<T>);
  const std::int64_t maybe_empty = segments.may_have_empty() ? segments.segments : 0;
  const std::int64_t tiles_of_empty = tiles_of(maybe_empty), blocks = tiles > tiles_of_empty ? tiles : tiles_of_empty;
  const std::int64_t share = blocks == 0 ? 0 : (maybe_empty + blocks - 1) / blocks;
  executor.template tiles_in_order<Heads, resident>(
      blocks, Back::words(tiles), [=] CVL_DEVICE(Block & block, Heads & heads, const Board& board) {
        const std::int64_t tile = block.index();
        store_to_empty(block, segments, tile * share, share, empty_value, store);
        if (tile >= tiles) return;
        const Back look_back{board, tiles, {identity, false}, {combine}};
        const int count = count_in_tile(tile, n, kTileOf<T>);
        block.prefetch(from + tile * kTileOf<T>, count);
        find_heads(block, segments, heads);
        Items<T> items;
        block.load(items, from + tile * kTileOf<T>, count, identity, convert);
        auto before = [&](const T& total, bool has_head) { return look_back.before(block, {total, has_head}).value; };
        block.template scan<true>(items, identity, identity, heads, combine, before);
        for_ends(block, items, heads,
                 [&](int k, int head, const T& sum) { store(segment_with<lookup>(segments, heads, k, head), sum); });
      });
}

}  // namespace cvl::cuda
