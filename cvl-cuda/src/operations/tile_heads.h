#pragma once

#include "executor/blocks.h"
#include "operations/device_segments.h"
#include "vcode/arith.h"

namespace cvl::cuda {

constexpr std::int64_t tiles_of(std::int64_t n, int size = kTile) { return (n + size - 1) / size; }
/// Number of elements in a tile of a vector of n elements.
VC_HD constexpr int count_in_tile(std::int64_t tile, std::int64_t n, int size = kTile) {
  const std::int64_t left = n - tile * size;
  return left < size ? static_cast<int>(left) : size;
}

/// The heads of the elements of a tile, in shared memory of its block, in one form for all segmentations: the form of a
/// segmentation is tested once for each 32 elements.
template <int size>
struct HeadsOfTile {
  static constexpr int kSize = size, kWords = size / 32;
  static constexpr bool kAny = true;

  std::int64_t first;                 ///< first element of the tile
  std::int64_t before;                ///< heads before the tile; undefined if segments are searched
  std::uint32_t words[kWords + 1];    ///< a bit for each element of the tile and for some after it; the end of the
                                      ///< vector has a bit too
  std::uint32_t before_word[kWords];  ///< heads before the word, in the tile

  /// A bit for each of `count` elements; k is a multiple of count, a power of two up to 16.
  VC_HD std::uint32_t bits(int k, int count) const { return words[k / 32] >> (k % 32) & ((1u << count) - 1); }
  /// A bit for each of `count` elements, as above, set for the last element of a segment.
  VC_HD std::uint32_t ends(int k, int count) const {
    const std::uint64_t two_words = std::uint64_t{words[k / 32 + 1]} << 32 | words[k / 32];
    return static_cast<std::uint32_t>(two_words >> (k % 32 + 1)) & ((1u << count) - 1);
  }
  /// Number of heads in the tile up to and including element k.
  VC_HD int count_to(int k) const { return int(before_word[k / 32]) + count_bits(words[k / 32] << (31 - k % 32)); }
};

using TileHeads = HeadsOfTile<kTile>;

/// Number of heads before element e, a multiple of 32 below the number of elements; undefined if segments are searched.
CVL_DEVICE inline std::int64_t heads_before(const Segments& s, std::int64_t e) {
  if (s.regular_length >= 0) return divide_up(e, s.regular_length);
  return s.heads != nullptr ? s.heads[e / 32].before : 0;
}

/// The heads among the 32 elements from e on.
CVL_DEVICE inline std::uint32_t heads_from(const Segments& s, std::int64_t e) {
  if (s.regular_length < 0 && s.heads != nullptr) return s.heads[e / 32].bits;
  const std::int64_t left = s.elements - e;
  const int here = left < 32 ? int(left) : 32;
  std::uint32_t bits = 0;
  if (s.regular_length >= 0) {
    std::int64_t head = divide_up(e, s.regular_length) * s.regular_length - e;
    for (; head < here; head += s.regular_length) bits |= std::uint32_t{1} << head;
  } else {
    for (int j = 0; j < here; ++j)
      if (s.offsets[s.search(e + j)] == e + j) bits |= std::uint32_t{1} << j;
  }
  return bits;
}

/// Fills the heads of a tile, which is not empty: of `words` * 32 elements, at most Heads::kSize, from element `first`.
template <class AnyBlock, class Heads>
CVL_DEVICE void find_heads(const AnyBlock& block, const Segments& s, Heads& heads, std::int64_t first, int words) {
  block.for_each(words + 1, [&](std::int64_t w) {
    const std::int64_t e = first + w * 32, left = s.elements - e;
    const std::int64_t before = heads_before(s, first);
    heads.words[w] = left > 0 ? heads_from(s, e) : 0;
    if (0 <= left && left < 32) heads.words[w] |= std::uint32_t{1} << left;
    if (w < words) heads.before_word[w] = left > 0 ? static_cast<std::uint32_t>(heads_before(s, e) - before) : 0;
    if (w > 0) return;
    heads.first = first;
    heads.before = before;
  });
  if (!s.is_searched()) return;
  block.for_each(words, [&](std::int64_t w) {
    std::uint32_t before = 0;
    for (std::int64_t v = 0; v < w; ++v) before += static_cast<std::uint32_t>(count_bits(heads.words[v]));
    heads.before_word[w] = before;
  });
}

/// Fills the heads of the block's tile.
template <class Heads>
CVL_DEVICE void find_heads(const Block& block, const Segments& s, Heads& heads) {
  find_heads(block, s, heads, block.index() * Heads::kSize, Heads::kWords);
}

/// Blocks resident on a multiprocessor. A binary search needs more registers, and its speed does not matter.
template <Lookup lookup>
inline constexpr int kResidentFor = lookup == Lookup::kSearch ? 2 : kResident;

/// The segment of element k of a tile, given the number of its head in the tile: 0 for the first head in the tile, -1
/// for the last head before the tile.
template <Lookup lookup, class Heads>
CVL_DEVICE std::int64_t segment_with(const Segments& segments, const Heads& heads, int k, int head_in_tile) {
  if constexpr (lookup == Lookup::kSearch) return segments.search(heads.first + k);
  const std::int64_t head = heads.before + head_in_tile;
  return segments.nonempty != nullptr ? segments.nonempty[head] : head;
}
/// The segment of element k of a tile.
template <Lookup lookup, class Heads>
CVL_DEVICE std::int64_t segment_of(const Segments& segments, const Heads& heads, int k) {
  if constexpr (lookup == Lookup::kNone) return 0;
  return segment_with<lookup>(segments, heads, k, heads.count_to(k) - 1);
}
/// Calls f(k, head, item) for each item that is the last of its segment; `head` as for segment_with().
template <class T, class Heads, class F>
CVL_DEVICE void for_ends(const Block& block, const Items<T>& items, const Heads& heads, F f) {
  block.for_vectors(items, [&](int k, const T* item, int count) {
    const std::uint32_t ends = heads.ends(k, count);
    if (ends == 0) return;
    int head = heads.count_to(k) - 1;
    for (int i = 0; i < count; ++i)
      if ((ends >> i & 1) != 0) f(k + i, head++, item[i]);
  });
}

/// Calls store(k, identity) for the empty segments among `share` segments from `begin` on; the range may exceed the
/// segments.
template <class AnyBlock, class T, class Store>
CVL_DEVICE void store_to_empty(const AnyBlock& block, const Segments& segments, std::int64_t begin, std::int64_t share,
                               T empty_value, Store store) {
  const std::int64_t left = segments.segments - begin, count = left < share ? left : share;
  block.for_each(count > 0 ? count : 0, [&](std::int64_t i) {
    const std::int64_t k = begin + i;
    if (segments.length<Starts::kAny>(k) == 0) store(k, empty_value);
  });
}

/// Combines store(e, k, value(e, k)) for the elements e, of segments k, of the block's tile; the result is valid in the
/// leader. Several values are computed before any is stored. R is the type of value().
template <Lookup lookup, class R, class T, class Value, class Store, class Combine>
CVL_DEVICE T map_fold_tile(const Block& block, const Segments& segments, TileHeads& heads, T identity, Value value,
                           Store store, Combine combine) {
  if constexpr (lookup != Lookup::kNone) find_heads(block, segments, heads);
  const std::int64_t first = block.index() * kTile;
  return block.template map_fold<R>(
      count_in_tile(block.index(), segments.elements), identity,
      [&](int k) { return value(first + k, segment_of<lookup>(segments, heads, k)); },
      [&](int k, const R& result) { return store(first + k, segment_of<lookup>(segments, heads, k), result); },
      combine);
}

/// A block computes a tile of a vector, or a part of one, which is one round of loads, if there are too few tiles
/// to occupy the device.
struct PartsOfTiles {
  static constexpr std::int64_t kFewElements = 1 << 21;
  struct Part {
    std::int64_t tile;
    int begin, count;  ///< elements of the tile; none if count is not positive
  };

  std::int64_t elements;
  int parts;

  explicit PartsOfTiles(std::int64_t n) : elements(n), parts(n <= kFewElements ? 4 : 1) {}
  std::int64_t blocks() const { return tiles_of(elements) * parts; }
  CVL_DEVICE Part of(const Block& block) const {
    const std::int64_t tile = block.index() / parts;
    const int length = kTile / parts, begin = int(block.index() % parts) * length,
              left = count_in_tile(tile, elements) - begin;
    return {tile, begin, left < length ? left : length};
  }
};

/// Calls store(e, k, value(e, k)) for each element e of each segment k. Several values are computed before any is
/// stored.
template <Lookup lookup, class R, class Value, class Store>
void map_segments(Executor& executor, const Segments& segments, Value value, Store store) {
  const std::int64_t n = segments.elements;
  if constexpr (lookup == Lookup::kNone)
    executor.template map<R>(
        n, [=] CVL_DEVICE(std::int64_t e) { return value(e, 0); },
        [=] CVL_DEVICE(std::int64_t e, const R& result) { store(e, 0, result); });
  else {
    const PartsOfTiles parts(n);
    executor.template tiles<TileHeads>(parts.blocks(), [=] CVL_DEVICE(Block & block, TileHeads & heads) {
      const PartsOfTiles::Part part = parts.of(block);
      if (part.count <= 0) return;
      const Block of_tile = block.numbered(part.tile);
      find_heads(of_tile, segments, heads);
      of_tile.template map<R>(
          part.count,
          [&](int k) {
            return value(heads.first + part.begin + k, segment_of<lookup>(segments, heads, part.begin + k));
          },
          [&](int k, const R& result) {
            store(heads.first + part.begin + k, segment_of<lookup>(segments, heads, part.begin + k), result);
          });
    });
  }
}

}  // namespace cvl::cuda
