#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "cvl/backend.h"

namespace cvl::cpu {

/// Memory limit and use, shared by the arenas of a backend and of its workers. Thread-safe.
class MemoryAccount {
 public:
  explicit MemoryAccount(std::size_t limit) : limit_(limit) {}

  std::size_t limit() const { return limit_; }
  MemoryUse use() const { return {live_, held_, peak_, limit_}; }
  /// Bytes that are held beyond the limit on live bytes.
  std::size_t excess() const {
    const std::size_t held = held_;
    return held > limit_ ? held - limit_ : 0;
  }

  /// Adds to the live bytes; false, without adding, if that would exceed the limit.
  bool take(std::size_t bytes) {
    std::size_t live = live_, peak = peak_;
    do {
      if (bytes > limit_ || live > limit_ - bytes) return false;
    } while (!live_.compare_exchange_weak(live, live + bytes));
    while (peak < live + bytes && !peak_.compare_exchange_weak(peak, live + bytes)) continue;
    return true;
  }
  void give(std::size_t bytes) { live_ -= bytes; }
  void hold(std::size_t bytes) { held_ += bytes; }
  void let_go(std::size_t bytes) { held_ -= bytes; }

 private:
  const std::size_t limit_;
  std::atomic<std::size_t> live_ = 0, held_ = 0, peak_ = 0;
};

/// The memory of a backend or of one of its workers: one reserved range of addresses, from which vectors are allocated.
/// Freed memory is kept for the next vector, because the first touch of a fresh page costs several times what computing
/// a vector costs. Pages are returned to the system only when more is held than 5/4 of the peak of live bytes plus 32
/// MiB.
///
/// Blocks of up to 64 KiB come in size classes, from slabs; larger ones are whole pages, allocated by best fit and
/// coalesced when freed. Not thread-safe: the threads of an operation do not allocate, and each worker has an arena of
/// its own.
class Arena {
 public:
  explicit Arena(std::shared_ptr<MemoryAccount> account);
  /// An arena with an account of its own.
  explicit Arena(std::size_t limit) : Arena(std::make_shared<MemoryAccount>(limit)) {}
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// False if the system refused the range of addresses.
  bool usable() const { return base_ != nullptr; }

  /// Memory aligned to 64 (to 4096 if larger than 64 KiB); null if the limit does not allow it.
  void* allocate(std::size_t bytes) noexcept;
  /// Frees what allocate(bytes) returned.
  void deallocate(void* data, std::size_t bytes) noexcept;
  /// Frees the end of what allocate(bytes) returned, in whole pages, and only if the block stays larger than 64 KiB.
  /// Returns the bytes that the block has now.
  std::size_t shrink(void* data, std::size_t bytes, std::size_t wanted) noexcept;
  /// Use of memory by all arenas with the same account.
  MemoryUse use() const { return account_->use(); }

  /// Deallocates the working memory of an operation when it goes out of scope.
  struct Releaser {
    Arena* arena;
    std::size_t bytes;
    void operator()(void* data) const { arena->deallocate(data, bytes); }
  };
  template <class T>
  using Scratch = std::unique_ptr<T[], Releaser>;
  /// Uninitialised working memory for `n` values; null if there is none.
  template <class T>
  Scratch<T> scratch(std::int64_t n) {
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(T);
    return Scratch<T>(static_cast<T*>(allocate(bytes)), Releaser{this, bytes});
  }

 private:
  struct Slab;
  using Offset = std::size_t;  ///< offset from base_

  std::size_t excess() const;
  void release(std::size_t bytes) noexcept;
  void* allocate_small(int size_class) noexcept;
  void deallocate_small(Offset at) noexcept;
  void drop_from_list(std::uint32_t slab);
  void add_to_list(std::uint32_t slab);

  bool take(std::size_t size, std::size_t alignment, Offset& at);
  void give(Offset at, std::size_t size);
  void add_range(Offset at, std::size_t size);
  void remove_range(std::map<Offset, std::size_t>::iterator range);
  bool commit(Offset end);
  void touch(Offset at, std::size_t size);
  void trim();
  std::size_t trim_range(Offset at, Offset end, std::size_t wanted);
  bool touched(std::size_t granule) const { return touched_[granule / 64] >> granule % 64 & 1; }

  char* base_ = nullptr;
  std::size_t reserved_ = 0;  ///< bytes of address space
  Offset committed_ = 0;      ///< end of the accessible addresses
  Offset top_ = 0;            ///< end of the last block in use
  const std::shared_ptr<MemoryAccount> account_;
  std::size_t live_ = 0, held_ = 0, peak_ = 0;  ///< this arena's share of the account; the most that was live

  std::map<Offset, std::size_t> by_address_;          ///< free ranges below top_, never adjacent
  std::set<std::pair<std::size_t, Offset>> by_size_;  ///< the free ranges of by_address_, by size

  struct Free {
    void operator()(void* p) const;
  };
  std::unique_ptr<std::uint64_t[], Free> touched_;  ///< a bit per granule: the system gave memory for it
  std::unique_ptr<Slab[], Free> slabs_;             ///< by offset / kSlabBytes
  static constexpr int kClasses = 64;
  std::uint32_t open_[kClasses] = {};  ///< for each class, 1 + the number of a slab with free blocks, or 0
};

}  // namespace cvl::cpu
