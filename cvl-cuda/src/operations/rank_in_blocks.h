#pragma once

/// Ranks in segments that fit into the shared memory of a block: each block sorts its segments, all at the same time,
/// in one launch and without memory beside the result.

#include "executor/blocks.h"
#include "operations/device_segments.h"
#include "operations/rank_keys.h"
#include "operations/tile_heads.h"
#include "vcode/arith.h"

namespace cvl::cuda {

/// The most elements that a block ranks: with keys of 64 bits they take 45 KB of shared memory.
inline constexpr int kRankedInBlock = 2048;

/// A division of segments among blocks, each of which has whole segments.
class WholeSegments {
 public:
  /// The segments of a block of irregular segments begin among so many elements.
  static constexpr int kShare = kRankedInBlock / 2;

  /// Requires elements, and segments that are regular, of at most kRankedInBlock elements, or have heads.
  explicit WholeSegments(const Segments& segments)
      : segments_(segments),
        share_(segments.regular_length >= 0 ? kRankedInBlock / segments.regular_length * segments.regular_length
                                            : kShare) {}

  VC_HD const Segments& all() const { return segments_; }
  VC_HD std::int64_t blocks() const { return (segments_.elements + share_ - 1) / share_; }
  /// The first element of a block: the first one at or behind the block's share that begins a segment.
  CVL_DEVICE std::int64_t begin(std::int64_t block) const {
    const std::int64_t e = block * share_;
    if (e >= segments_.elements) return segments_.elements;
    if (segments_.regular_length >= 0) return e;
    const std::int32_t* const nonempty = segments_.nonempty;
    const std::int64_t head = heads_before(segments_, e),
                       heads = nonempty != nullptr ? nonempty[segments_.segments] : segments_.segments;
    if (head == heads) return segments_.elements;
    return segments_.offsets[nonempty != nullptr ? nonempty[head] : head];
  }

 private:
  Segments segments_;
  std::int64_t share_;  ///< elements: a multiple of the regular length, or else of 32
};

/// The elements of the blocks whose irregular segments do not fit, one block behind the other.
struct Misfits {
  static constexpr std::int64_t kFits = INT64_MIN;

  /// For each block kFits, or the place of its first element minus that element's number.
  const std::int64_t* shifts = nullptr;

  /// The place of element e, which belongs to a segment that begins at `begin`. Negative if its block's segments fit.
  CVL_DEVICE std::int64_t place(std::int64_t e, std::int64_t begin) const {
    const std::int64_t shift = shifts[begin / WholeSegments::kShare];
    return shift == kFits ? -1 : e + shift;
  }
};

/// Shared memory of a block: the elements of its segments, which change places as they are sorted.
template <class Key>
struct RankShared {
  int longest;  ///< segment of the block
  /// For the first place of a segment the place behind its last one, for its other places the first one.
  std::uint16_t bounds[kRankedInBlock];
  // Before and after a step of the sort.
  std::uint16_t elements[2][kRankedInBlock];
  Key keys[2][kRankedInBlock];
};

/// Sorts whole segments in a block, all at the same time: runs of kRun places by counting, then pairs of runs by binary
/// search, each element by itself, so that short and long segments take the same steps. `Keys` gives the key of element
/// e by keys(e); ranks[e] takes its rank. Of any type of block.
template <class AnyBlock, class Key, class Keys, class Ranks>
class BlockRanking {
 public:
  static constexpr int kRun = 32;

  CVL_DEVICE BlockRanking(const AnyBlock& block, RankShared<Key>& shared, const Segments& segments, const Keys& keys,
                          const Ranks& ranks)
      : block_(block), shared_(shared), segments_(segments), keys_(keys), ranks_(ranks) {}

  /// Ranks `count` elements from `first` on, at most kRankedInBlock, which are whole segments.
  CVL_DEVICE void rank(std::int64_t first, int count) const {
    load(first, count);
    const int longest = shared_.longest;
    sort(first, count, 0, longest <= kRun, [](const Key* keys, const Places& segment, int p) {
      const int begin = p - ((p - segment.begin) & (kRun - 1)),
                end = segment.end - begin < kRun ? segment.end : begin + kRun;
      return place_in_run(keys, begin, end, p);
    });
    int from = 1;
    for (int run = kRun; run < longest; run *= 2, from = 1 - from)
      sort(first, count, from, longest <= 2 * run,
           [run](const Key* keys, const Places& segment, int p) { return place_in_pair(keys, run, segment, p); });
  }

 private:
  /// The places of a segment in its block.
  struct Places {
    int begin, end;
  };
  struct Loaded {
    Key key;
    std::uint16_t begin, end;
  };

  CVL_DEVICE void load(std::int64_t first, int count) const {
    const int longest = block_.template map_fold<Loaded>(
        count, 0,
        [&](std::int64_t p) {
          const Places segment = find_places(first, static_cast<int>(p));
          return Loaded{static_cast<Key>(keys_(first + p)), static_cast<std::uint16_t>(segment.begin),
                        static_cast<std::uint16_t>(segment.end)};
        },
        [&](std::int64_t p, const Loaded& loaded) {
          shared_.keys[0][p] = loaded.key;
          shared_.elements[0][p] = static_cast<std::uint16_t>(p);
          shared_.bounds[p] = p == loaded.begin ? loaded.end : loaded.begin;
          return loaded.end - loaded.begin;
        },
        [](int x, int y) { return x < y ? y : x; });
    if (block_.leads()) shared_.longest = longest;
    block_.sync();
  }
  /// The segment of place p, before the places are known.
  CVL_DEVICE Places find_places(std::int64_t first, int p) const {
    if (segments_.regular_length >= 0) {  // `first` begins a segment
      const int length = static_cast<int>(segments_.regular_length);
      const int begin = static_cast<int>(static_cast<unsigned>(p) / static_cast<unsigned>(length)) * length;
      return {begin, begin + length};
    }
    const std::int64_t k = segments_.of(first + p), begin = segments_.template start<Starts::kOffsets>(k) - first;
    return {static_cast<int>(begin), static_cast<int>(begin + segments_.template length<Starts::kOffsets>(k))};
  }
  CVL_DEVICE Places places(int p) const {
    const int bound = shared_.bounds[p];
    return bound > p ? Places{p, bound} : Places{bound, shared_.bounds[bound]};
  }
  /// Moves each element from its place p to find(keys, its segment, p); the last step stores ranks instead.
  template <class Find>
  CVL_DEVICE void sort(std::int64_t first, int count, int from, bool is_last, Find find) const {
    block_.for_each(count, [&](std::int64_t place) {
      const int p = static_cast<int>(place);
      const Key* const keys = shared_.keys[from];
      const Places segment = places(p);
      const int to = find(keys, segment, p);
      const std::uint16_t element = shared_.elements[from][p];
      if (is_last) {
        ranks_.put(first + element, to - segment.begin);
      } else {
        shared_.keys[1 - from][to] = keys[p];
        shared_.elements[1 - from][to] = element;
      }
    });
  }
  /// Whether (x, i) precedes (y, j) in lexicographic order.
  CVL_DEVICE static bool precedes(Key x, int i, Key y, int j) {
    if constexpr (sizeof(Key) == 8) return x < y || (x == y && i < j);
    // Two comparisons of words, without branches.
    const auto pair = [](Key key, int k) { return std::uint64_t{key} << 32 | static_cast<std::uint32_t>(k); };
    return pair(x, i) < pair(y, j);
  }
  /// The place of the element at p in the order of the places [begin, end).
  CVL_DEVICE static int place_in_run(const Key* keys, int begin, int end, int p) {
    const Key key = keys[p];
    int to = begin;
    for (int q = begin; q < end; ++q) to += precedes(keys[q], q, key, p) ? 1 : 0;
    return to;
  }
  /// The place of the element at p when each sorted run of a segment at an even place among its runs is merged with the
  /// next one. All runs but the last one of a segment have the length `run`, a power of two.
  CVL_DEVICE static int place_in_pair(const Key* keys, int run, const Places& segment, int p) {
    const int offset = p - segment.begin;
    const bool is_second = (offset & run) != 0;
    const int other = segment.begin + ((offset & -run) ^ run);
    const Key key = keys[p];
    int low = other, high = segment.end - other < run ? segment.end : other + run;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (precedes(keys[middle], 0, key, is_second ? 1 : 0))
        low = middle + 1;
      else
        high = middle;
    }
    return p + (low - other) - (is_second ? run : 0);
  }

  const AnyBlock& block_;
  RankShared<Key>& shared_;
  const Segments& segments_;
  const Keys& keys_;
  const Ranks& ranks_;
};

/// The keys of the elements of a vector.
template <class T>
struct KeysOf {
  const T* a;
  bool descending;
  VC_HD KeyOf<T> operator()(std::int64_t e) const { return key_of(a[e], descending); }
};
/// Where ranks go, INTs of type I.
template <class I>
struct RanksTo {
  I* to;
  VC_HD void put(std::int64_t e, int rank) const { to[e] = static_cast<I>(rank); }
};

/// Ranks of the elements of a vector, as INTs of type I, by blocks.
template <class T, class I>
struct RankInBlocks {
  using Key = KeyOf<T>;
  using Shared = RankShared<Key>;

  KeysOf<T> keys;
  RanksTo<I> ranks;
  WholeSegments segments;

  /// Ranks the segments of a block. If they do not fit, returns the number of their elements, else 0.
  CVL_DEVICE std::int64_t rank(const Block& block, Shared& shared) const {
    const std::int64_t first = segments.begin(block.index()), count = segments.begin(block.index() + 1) - first;
    if (count > kRankedInBlock) return count;
    BlockRanking<Block, Key, KeysOf<T>, RanksTo<I>>(block, shared, segments.all(), keys, ranks)
        .rank(first, static_cast<int>(count));
    return 0;
  }
  /// Replaces the results of rank(), one for each block, by Misfits::shifts, and returns their sum, which is valid in
  /// the leader. Called by one block.
  CVL_DEVICE std::int64_t place_misfits(Block& block, std::int64_t* of_blocks) const {
    using Counts = Items<std::int64_t>;
    constexpr int kSize = kTileOf<std::int64_t>;
    const std::int64_t blocks = segments.blocks();
    std::int64_t sum = 0;  // valid in the threads that call the lambda below
    for (std::int64_t t = 0; t < tiles_of(blocks, kSize); ++t) {
      std::int64_t* const counts = of_blocks + t * kSize;
      const int count = count_in_tile(t, blocks, kSize);
      Counts before;
      block.fill(before, [&](int k) { return k < count ? counts[k] : std::int64_t{0}; });
      block.template scan<false>(
          before, std::int64_t{0}, std::int64_t{0}, NoHeads{}, [](std::int64_t x, std::int64_t y) { return x + y; },
          [&](std::int64_t all, bool) {
            const std::int64_t before_tile = sum;
            sum += all;
            return before_tile;
          });
      block.for_items(before, [&](int k, std::int64_t place) {
        if (k < count) counts[k] = counts[k] == 0 ? Misfits::kFits : place - segments.begin(t * kSize + k);
      });
      block.sync();
    }
    return sum;
  }
};

}  // namespace cvl::cuda
