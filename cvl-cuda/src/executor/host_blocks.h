#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/board.h"
#include "base/check.h"
#include "executor/host_schedule.h"

namespace cvl::cuda {

/// Has no effect on the host.
inline constexpr int kResident = 4;
/// Smaller than on a device, so that vectors of some ten thousand elements have groups of tiles, and groups of groups.
inline constexpr int kTile = 512;
template <class T>
inline constexpr int kTileOf = sizeof(T) >= 8 ? kTile / 2 : kTile;

template <class T>
struct Items {
  T at[kTileOf<T>];
};
template <class T>
struct ItemStorage {};
template <class T>
struct StoredItems : Items<T> {
  StoredItems(const ItemStorage<T>&, int) {}
};

/// A block of one thread: see executor.h. Its loops go through their elements in a random order.
class Block {
 public:
  /// Without a random number, loops run in ascending order.
  Block(std::int64_t index, std::optional<std::uint64_t> random) : index_(index), random_(random) {}

  /// The same threads as the block of another index.
  Block numbered(std::int64_t index) const { return {index, random_}; }

  std::int64_t index() const { return index_; }
  bool leads() const { return true; }
  /// True while scan() calls `before`; only then may the board be read.
  bool calls_before() const { return calls_before_; }

  void sync() const {}
  template <class F>
  void for_each(std::int64_t n, F f) const {
    order(n).for_each(f);
  }
  template <class R, class Value, class Store>
  void map(std::int64_t n, Value value, Store store) const {
    order(n).for_each([&](std::int64_t k) { store(k, R(value(k))); });
  }
  template <class R, class Load, class Use>
  void load_ahead(int n, Load load, Use use) const {
    order(n).for_each([&](std::int64_t k) { use(k, R(load(k))); });
  }
  template <class S>
  void prefetch(const S*, int) const {}
  template <class T, class S, class F>
  void load(Items<T>& items, const S* from, int count, T filler, F convert) const {
    VC_CHECK(0 <= count && count <= kTileOf<T>);
    for_each(count, [&](std::int64_t k) { items.at[k] = convert(from[k]); });
    std::fill(items.at + count, items.at + kTileOf<T>, filler);
  }
  template <class T, class F>
  void fill(Items<T>& items, F f) const {
    for_each(kTileOf<T>, [&](std::int64_t k) { items.at[k] = f(static_cast<int>(k)); });
  }
  template <class T>
  void store(const Items<T>& items, T* to, int count) const {
    for_each(count, [&](std::int64_t k) { to[k] = items.at[k]; });
  }
  template <class T, class F>
  void derive(Items<T>& items, const Items<T>& from, F f) const {
    for_each(kTileOf<T>, [&](std::int64_t k) { items.at[k] = f(static_cast<int>(k), from.at[k]); });
  }
  template <class T, class F>
  void for_items(const Items<T>& items, F f) const {
    for_each(kTileOf<T>, [&](std::int64_t k) { f(static_cast<int>(k), items.at[k]); });
  }
  template <class T, class F>
  void for_vectors(const Items<T>& items, F f) const {
    constexpr int kLength = 2;
    for_each(kTileOf<T> / kLength, [&](std::int64_t v) {
      const int k = static_cast<int>(v) * kLength;
      f(k, items.at + k, kLength);
    });
  }
  template <bool kInclusive, class T, class Heads, class Combine, class Before>
  void scan(Items<T>& items, T identity, T at_head, const Heads& heads, Combine combine, Before before) {
    T total = identity;
    bool has_head = false;
    for (int k = 0; k < kTileOf<T>; ++k) {
      const bool is_head = heads.bits(k, 1) != 0;
      total = is_head ? items.at[k] : combine(total, items.at[k]);
      has_head = has_head || is_head;
    }
    calls_before_ = true;
    T sum = before(total, has_head);
    calls_before_ = false;
    for (int k = 0; k < kTileOf<T>; ++k) {
      const bool is_head = heads.bits(k, 1) != 0;
      const T next = is_head ? items.at[k] : combine(sum, items.at[k]);
      items.at[k] = kInclusive ? next : is_head ? at_head : sum;
      sum = next;
    }
  }
  template <class S, class T, class F, class Combine>
  T fold(const S* from, std::int64_t begin, std::int64_t end, T identity, F convert, Combine combine) const {
    for (std::int64_t e = begin; e < end; ++e) identity = combine(identity, convert(from[e]));
    return identity;
  }
  template <class R, class T, class Value, class Store, class Combine>
  T map_fold(std::int64_t n, T sum, Value value, Store store, Combine combine) const {
    order(n).for_each([&](std::int64_t k) { sum = combine(sum, store(k, R(value(k)))); });
    return sum;
  }

 private:
  Order order(std::int64_t n) const { return random_ ? Order(n, *random_) : Order(n); }

  std::int64_t index_;
  std::optional<std::uint64_t> random_;
  bool calls_before_ = false;
};

using WideBlock = Block;

/// A range of at most 32 words of a board: see executor.h.
template <class R>
class BoardRead {
 public:
  BoardRead(const Block& block, const Board& board, std::int64_t first, int count)
      : board_(board), first_(first), count_(count) {
    VC_CHECK(block.calls_before() && 0 <= count && count <= 32);
  }
  template <class Combine>
  R fold(R sum, Combine combine) const {
    for (std::int64_t k = first_; k < first_ + count_; ++k) {
      Payload payload;
      while (!board_.get(k, payload)) HostSchedule::wait_for_another_part();
      sum = combine(sum, R::from(payload));
    }
    return sum;
  }

 private:
  Board board_;
  std::int64_t first_;
  int count_;
};

}  // namespace cvl::cuda
