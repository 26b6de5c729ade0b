#include <bit>

#include "cvl/dispatch.h"
#include "executor/cub_sort.h"
#include "operations/device_operations.h"
#include "operations/load_store.h"
#include "operations/rank_keys.h"
#include "operations/tile_heads.h"

namespace cvl::cuda {
namespace {

int bits_for(std::int64_t numbers) {
  return numbers <= 1 ? 0 : std::bit_width(static_cast<std::uint64_t>(numbers - 1));
}

/// A sort of the positions 0 … n - 1, of type W, by segments and keys. All members are public because nvcc does not
/// allow extended lambdas in private members.
template <class T, class W>
struct Sorting {
  Executor& executor;
  const bool descending;
  const T* const a;
  const std::int64_t n;
  const Segments segments;

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
    if (with_segment)
      with_lookup(segments, segments, [&]<Lookup lookup, Starts>() { fill_as<lookup>(position, key); });
    else
      fill_as<Lookup::kNone>(position, key);
  }
  template <Lookup lookup, class Key>
  void fill_as(W* position, Key* key) {
    map_segments<lookup, Key>(
        executor, segments,
        [a = a, descending = descending] CVL_DEVICE(std::int64_t e, std::int64_t k) {
          return static_cast<Key>(std::uint64_t{key_of(a[e], descending)} | static_cast<std::uint64_t>(k) << 32);
        },
        [position, key] CVL_DEVICE(std::int64_t e, std::int64_t, Key k) {
          position[e] = static_cast<W>(e);
          key[e] = k;
        });
  }
  void segments_of(const W* position, W* segment) {
    executor.template map<W>(
        n, [segments = segments, position] CVL_DEVICE(std::int64_t p) { return W(segments.of(position[p])); },
        StoreTo<W>{segment});
  }
  template <class I>
  void number(const W* position, I* ranks) {
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
};

/// The most elements that are ranked by counting, in one launch. By the number of instructions this takes less time
/// than the launches of a sort.
constexpr std::int64_t kCounted = 1024;

template <class T, class I>
void rank_by_counting(Executor& executor, bool descending, const T* a, std::int64_t n, const Segments& segments,
                      I* ranks) {
  executor.for_each(n, [=] CVL_DEVICE(std::int64_t e) {
    const std::int64_t k = segments.of(e), begin = segments.start<Starts::kAny>(k);
    const std::int64_t end = begin + segments.length<Starts::kAny>(k);
    const KeyOf<T> key = key_of(a[e], descending);
    I rank = 0;
    for (std::int64_t f = begin; f < e; ++f) rank += key_of(a[f], descending) <= key ? 1 : 0;
    for (std::int64_t f = e + 1; f < end; ++f) rank += key_of(a[f], descending) < key ? 1 : 0;
    ranks[e] = rank;
  });
}

}  // namespace

void run(const Context& context, const Rank& rank) {
  if (rank.a.length == 0) return;
  const Segments segments(rank.descriptor);
  with_number(rank.a.type, [&]<class T>() {
    with_int(rank.result.type, [&]<class I>() {
      const T* const keys = static_cast<const T*>(rank.a.data);
      I* const ranks = static_cast<I*>(rank.result.data);
      if (rank.a.length <= kCounted)
        rank_by_counting(context.executor, rank.descending, keys, rank.a.length, segments, ranks);
      else if (rank.a.length <= UINT32_MAX)
        Sorting<T, std::uint32_t>{context.executor, rank.descending, keys, rank.a.length, segments}.rank(ranks);
      else
        Sorting<T, std::uint64_t>{context.executor, rank.descending, keys, rank.a.length, segments}.rank(ranks);
    });
  });
}

}  // namespace cvl::cuda
