#include <bit>

#include "cvl/dispatch.h"
#include "executor/cub_sort.h"
#include "operations/device_operations.h"
#include "operations/load_store.h"
#include "operations/rank_in_blocks.h"
#include "operations/rank_keys.h"
#include "operations/tile_heads.h"

namespace cvl::cuda {
namespace {

int bits_for(std::int64_t numbers) {
  return numbers <= 1 ? 0 : std::bit_width(static_cast<std::uint64_t>(numbers - 1));
}

/// A sort of the positions of n elements, of type W, by segments and keys: of all elements, or of those in blocks whose
/// segments do not fit. All members are public because nvcc does not allow extended lambdas in private members.
template <class T, class W>
struct Sorting {
  Executor& executor;
  const bool descending;
  const T* const a;
  const std::int64_t n;
  const Segments segments;
  const Misfits misfits = {};  ///< without shifts: all elements

  template <class I>
  void rank(I* ranks) {
    Scratch<W> order(executor.pool(), n), order_too(executor.pool(), n);
    Buffers<W> positions{order.data(), order_too.data()};
    const int segment_bits = bits_for(segments.segments);
    if (sizeof(T) == 4 && sizeof(W) == 4 && segment_bits > 0)
      sort_by_joint_keys(positions, segment_bits);
    else
      sort_by_turns(positions, segment_bits);
    number(positions.current, ranks);
  }

  /// One sort by 64-bit keys: the segment in the upper 32 bits, the key of the element in the lower 32.
  void sort_by_joint_keys(Buffers<W>& positions, int segment_bits) {
    Scratch<std::uint64_t> keys(executor.pool(), n), keys_too(executor.pool(), n);
    fill(positions.current, keys.data(), true);
    Buffers<std::uint64_t> buffers{keys.data(), keys_too.data()};
    executor.sort_pairs(buffers, positions, n, 32 + segment_bits);
  }

  /// In two stable sorts, first by keys, then by segments.
  void sort_by_turns(Buffers<W>& positions, int segment_bits) {
    using Key = std::conditional_t<sizeof(W) == 8, std::uint64_t, KeyOf<T>>;
    {
      Scratch<Key> keys(executor.pool(), n), keys_too(executor.pool(), n);
      fill(positions.current, keys.data(), false);
      Buffers<Key> buffers{keys.data(), keys_too.data()};
      executor.sort_pairs(buffers, positions, n, 8 * sizeof(T));
    }
    if (segment_bits == 0) return;
    Scratch<W> keys(executor.pool(), n), keys_too(executor.pool(), n);
    segments_of(positions.current, keys.data());
    Buffers<W> buffers{keys.data(), keys_too.data()};
    executor.sort_pairs(buffers, positions, n, segment_bits);
  }

  template <class Key>
  void fill(W* position, Key* key, bool with_segment) {
    if (with_segment || misfits.shifts != nullptr)
      with_lookup(segments, segments, [&]<Lookup lookup, Starts>() { fill_as<lookup>(position, key, with_segment); });
    else
      fill_as<Lookup::kNone>(position, key, with_segment);
  }
  template <Lookup lookup, class Key>
  void fill_as(W* position, Key* key, bool with_segment) {
    map_segments<lookup, Key>(
        executor, segments,
        [a = a, descending = descending, with_segment] CVL_DEVICE(std::int64_t e, std::int64_t k) {
          const std::uint64_t upper = with_segment ? static_cast<std::uint64_t>(k) << 32 : 0;
          return static_cast<Key>(std::uint64_t{key_of(a[e], descending)} | upper);
        },
        [position, key, segments = segments, misfits = misfits] CVL_DEVICE(std::int64_t e, std::int64_t k, Key of_e) {
          std::int64_t place = e;
          if (misfits.shifts != nullptr) place = misfits.place(e, segments.start<Starts::kAny>(k));
          if (place < 0) return;
          position[place] = static_cast<W>(e);
          key[place] = of_e;
        });
  }
  void segments_of(const W* position, W* segment) {
    executor.template map<W>(
        n, [segments = segments, position] CVL_DEVICE(std::int64_t p) { return W(segments.of(position[p])); },
        StoreTo<W>{segment});
  }
  template <class I>
  void number(const W* position, I* ranks) {
    if (misfits.shifts != nullptr) return number_misfits(position, ranks);
    with_lookup(segments, segments,
                [&]<Lookup lookup, Starts starts>() { number_as<lookup, starts>(position, ranks); });
  }
  /// Sorted position p lies in the same segment as element p, since sorting keeps the elements of a segment together.
  template <Lookup lookup, Starts starts, class I>
  void number_as(const W* position, I* ranks) {
    map_segments<lookup, W>(
        executor, segments, [position] CVL_DEVICE(std::int64_t p, std::int64_t) { return position[p]; },
        [segments = segments, ranks] CVL_DEVICE(std::int64_t p, std::int64_t k, W e) {
          ranks[e] = static_cast<I>(p - segments.start<starts>(k));
        });
  }
  template <class I>
  void number_misfits(const W* position, I* ranks) {
    executor.for_each(n, [position, ranks, segments = segments, misfits = misfits] CVL_DEVICE(std::int64_t p) {
      const W e = position[p];
      const std::int64_t begin = segments.start<Starts::kAny>(segments.of(e));
      ranks[e] = static_cast<I>(p - misfits.place(begin, begin));
    });
  }
};

template <class T, class I>
void sort(Executor& executor, bool descending, const T* a, std::int64_t n, const Segments& segments, I* ranks,
          const Misfits& misfits = {}) {
  if (segments.elements <= UINT32_MAX)
    Sorting<T, std::uint32_t>{executor, descending, a, n, segments, misfits}.rank(ranks);
  else
    Sorting<T, std::uint64_t>{executor, descending, a, n, segments, misfits}.rank(ranks);
}

/// Ranks segments that are known to fit into blocks.
template <class T, class I>
void rank_fitting(Executor& executor, const RankInBlocks<T, I>& work) {
  using Shared = typename RankInBlocks<T, I>::Shared;
  executor.template tiles<Shared>(work.segments.blocks(),
                                  [=] CVL_DEVICE(Block & block, Shared & shared) { (void)work.rank(block, shared); });
}

/// Ranks the segments of the blocks in which they fit, and waits for the number of elements in others. `of_blocks`, an
/// element for each block, becomes Misfits::shifts.
template <class T, class I>
std::int64_t rank_if_fitting(Executor& executor, const RankInBlocks<T, I>& work, std::int64_t* of_blocks) {
  using Shared = typename RankInBlocks<T, I>::Shared;
  const Reply reply = executor.next_reply();
  executor.template tiles_then<Shared>(
      work.segments.blocks(),
      [=] CVL_DEVICE(Block & block, Shared & shared) {
        const std::int64_t left = work.rank(block, shared);
        if (block.leads()) of_blocks[block.index()] = left;
      },
      [=] CVL_DEVICE(Block & block, Shared&) {
        const std::int64_t left = work.place_misfits(block, of_blocks);
        if (block.leads()) reply.give(left);
      });
  std::int64_t left = 0;
  const Transfer letter{&left, nullptr, sizeof left};
  executor.await_reply(&letter, 1);
  return left;
}

template <class T, class I>
void rank(Executor& executor, bool descending, const T* a, const Segments& segments, I* ranks) {
  const std::int64_t n = segments.elements;
  const bool is_regular = segments.regular_length >= 0;
  // The longest segment is no shorter than the average.
  if (segments.regular_length > kRankedInBlock || n / kRankedInBlock > segments.segments || segments.is_searched())
    return sort(executor, descending, a, n, segments, ranks);
  const RankInBlocks<T, I> work{{a, descending}, {ranks}, WholeSegments(segments)};
  if (is_regular || n <= kRankedInBlock) return rank_fitting(executor, work);
  const Scratch<std::int64_t> of_blocks(executor.pool(), work.segments.blocks());
  const std::int64_t left = rank_if_fitting(executor, work, of_blocks.data());
  if (left > 0) sort(executor, descending, a, left, segments, ranks, {of_blocks.data()});
}

}  // namespace

void run(const Context& context, const Rank& description) {
  if (description.a.length == 0) return;
  with_number(description.a.type, [&]<class T>() {
    with_int(description.result.type, [&]<class I>() {
      rank(context.executor, description.descending, static_cast<const T*>(description.a.data),
           Segments(description.descriptor), static_cast<I*>(description.result.data));
    });
  });
}

}  // namespace cvl::cuda
