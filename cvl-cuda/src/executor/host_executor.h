#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/device_faults.h"
#include "base/pool.h"
#include "base/scratch.h"
#include "base/traffic.h"

namespace cvl::cuda {

inline constexpr int kTile = 2048;

template <class T>
struct Items {
  T at[kTile];
};

/// Values that blocks tell each other, and for each a word that says whether it is there: see executor.h.
template <class T>
struct Published {
  T* values;
  std::uint32_t* known;  ///< zero at first

  void put(std::int64_t k, const T& value) const {
    values[k] = value;
    known[k] = 1;
  }
  template <class Combine>
  T fold(std::int64_t first, int count, T sum, Combine combine) const {
    for (std::int64_t k = first; k < first + count; ++k) {
      if (known[k] == 0) throw std::logic_error("a block waits for what no block before it publishes");
      sum = combine(sum, values[k]);
    }
    return sum;
  }
};

/// A block of one thread: see executor.h.
class Block {
 public:
  explicit Block(std::int64_t index) : index_(index) {}

  std::int64_t index() const { return index_; }
  bool leads() const { return true; }

  template <class F>
  void for_each(std::int64_t n, F f) const {
    for (std::int64_t e = 0; e < n; ++e) f(e);
  }
  template <class T, class F>
  void load(Items<T>& items, std::int64_t begin, int count, T filler, F f) const {
    for (int k = 0; k < count; ++k) items.at[k] = f(begin + k);
    std::fill(items.at + count, items.at + kTile, filler);
  }
  template <class T, class F>
  void store(const Items<T>& items, std::int64_t begin, int count, F f) const {
    for (int k = 0; k < count; ++k) f(begin + k, items.at[k]);
  }
  template <class T, class Combine>
  T scan(Items<T>& items, T sum, Combine combine) const {
    for (T& item : items.at) {
      const T next = combine(sum, item);
      item = sum;
      sum = next;
    }
    return sum;
  }
  template <class T, class Combine, class Before>
  void scan_after(Items<T>& items, Combine combine, Before before) const {
    T total = items.at[0];
    for (int k = 1; k < kTile; ++k) total = combine(total, items.at[k]);
    scan(items, before(total), combine);
  }
  template <class T, class Combine>
  T scan_inclusive(Items<T>& items, Combine combine) const {
    for (int k = 1; k < kTile; ++k) items.at[k] = combine(items.at[k - 1], items.at[k]);
    return items.at[kTile - 1];
  }
  template <class T, class F, class Combine>
  T fold(std::int64_t begin, std::int64_t end, T neutral, F f, Combine combine) const {
    for (std::int64_t e = begin; e < end; ++e) neutral = combine(neutral, f(e));
    return neutral;
  }

 private:
  std::int64_t index_;
};

/// Runs everything at once, in the thread that calls: see executor.h.
class HostExecutor final : private MemorySource {
 public:
  explicit HostExecutor(std::size_t memory_limit) : pool_(*this, memory_limit) {}
  HostExecutor(const HostExecutor&) = delete;
  HostExecutor& operator=(const HostExecutor&) = delete;

  std::string description() const { return "cvl-cuda on the host, one thread"; }
  Pool& pool() { return pool_; }
  const Pool& pool() const { return pool_; }
  const Traffic& traffic() const { return traffic_; }
  void upload(void* device, const void* host, std::size_t bytes) {
    traffic_.bytes_up += bytes;
    copy(device, host, bytes);
  }
  void download(void* host, const void* device, std::size_t bytes) {
    traffic_.bytes_down += bytes;
    ++traffic_.waits;
    copy(host, device, bytes);
  }
  void download(const Piece* pieces, int n) {
    ++traffic_.waits;
    for (const Piece* piece = pieces; piece != pieces + n; ++piece) {
      traffic_.bytes_down += piece->bytes;
      copy(piece->host, piece->device, piece->bytes);
    }
  }
  void copy(void* to, const void* from, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
  void fill_zero(void* data, std::size_t bytes) {
    if (bytes > 0) std::memset(data, 0, bytes);
  }

  void wait() { ++traffic_.waits; }

  Faults faults(std::uint32_t site) { return {&record_, &known_, site}; }
  bool has_fault() const { return known_ != 0; }
  /// Waits, and returns and forgets what was reported.
  FaultRecord take_fault() {
    known_ = 0;
    return std::exchange(record_, {});
  }

  template <class F>
  void for_each(std::int64_t n, F f) {
    ++traffic_.launches;
    for (std::int64_t e = 0; e < n; ++e) f(e);
  }

  template <class R, class Value, class Store>
  void map(std::int64_t n, Value value, Store store) {
    for_each(n, [=](std::int64_t e) { store(e, R(value(e))); });
  }

  template <class T, class Program>
  void tiles(std::int64_t n, Program program) {
    for_each_block(n, program);
  }
  template <class T, class Program>
  void folds(std::int64_t n, Program program) {
    for_each_block(n, program);
  }
  template <class T, class Program>
  void tiles_in_order(std::int64_t n, std::uint32_t* begun, Program program) {
    if (begun == nullptr ? n > 1 : *begun != 0) throw std::logic_error("blocks are counted from something but zero");
    for_each_block(n, program);
  }

  template <class T, class Combine, class Load, class Store>
  void scan(std::int64_t n, T sum, Combine combine, Load load, Store store) {
    for (std::int64_t e = 0; e < n; ++e) {
      const T item = load(e);
      store(e, sum);
      sum = combine(sum, item);
    }
  }

  template <class Key, class Value>
  void sort_pairs(Buffers<Key>& keys, Buffers<Value>& values, std::int64_t n, int bits) {
    const Key mask =
        bits >= static_cast<int>(8 * sizeof(Key)) ? static_cast<Key>(~Key{0}) : static_cast<Key>((Key{1} << bits) - 1);
    std::vector<std::int64_t> order(static_cast<std::size_t>(n));
    for (std::size_t p = 0; p < order.size(); ++p) order[p] = static_cast<std::int64_t>(p);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      return (keys.current[a] & mask) < (keys.current[b] & mask);
    });
    for (std::int64_t p = 0; p < n; ++p) {
      keys.other[p] = keys.current[order[static_cast<std::size_t>(p)]];
      values.other[p] = values.current[order[static_cast<std::size_t>(p)]];
    }
    std::swap(keys.current, keys.other);
    std::swap(values.current, values.other);
  }

 private:
  template <class Program>
  void for_each_block(std::int64_t n, Program program) {
    ++traffic_.launches;
    for (std::int64_t k = 0; k < n; ++k) {
      Block block(k);
      program(block);
    }
  }

  void* take(std::size_t bytes) noexcept override {
    return bytes > SIZE_MAX / 2 ? nullptr : std::aligned_alloc(256, bytes);
  }
  void give_back(void* data, std::size_t) noexcept override { std::free(data); }

  Pool pool_;
  Traffic traffic_;
  FaultRecord record_;
  volatile std::uint32_t known_ = 0;
};

/// The larger of two, the smaller, atomically; and setting bits. Each returns what was there before.
template <class W>
W atomic_max(W* at, W value) {
  return std::exchange(*at, std::max(*at, value));
}
template <class W>
W atomic_min(W* at, W value) {
  return std::exchange(*at, std::min(*at, value));
}
inline std::uint32_t atomic_or(std::uint32_t* at, std::uint32_t value) { return std::exchange(*at, *at | value); }

}  // namespace cvl::cuda
