#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "cvl/backend.h"

namespace cvl::cpu {

/// The memory of a backend: one reserved range of addresses, from which vectors are allocated. Freed memory is kept for
/// the next vector, because the first touch of a fresh page costs several times what computing a vector costs; pages
/// are returned to the system only when more is held than 5/4 of the peak of live bytes plus 32 MiB.
///
/// Blocks of up to 64 KiB come in size classes, cut out of slabs; larger ones are whole pages, best fit,
/// coalesced when freed. Not thread-safe: the threads of an operation do not allocate.
class Arena {
 public:
  /// At most `limit` bytes may be live.
  explicit Arena(std::size_t limit);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// False if the system refused the range of addresses.
  bool usable() const { return base_ != nullptr; }

  /// Memory aligned to 64 (to 4096 if larger than 64 KiB); null if the limit does not allow it.
  void* allocate(std::size_t bytes) noexcept;
  /// Gives back what allocate(bytes) returned.
  void deallocate(void* data, std::size_t bytes) noexcept;
  /// Gives back the end of what allocate(bytes) returned, in whole pages and only if it stays larger than 64 KiB.
  /// Returns the bytes it now has.
  std::size_t shrink(void* data, std::size_t bytes, std::size_t wanted) noexcept;
  MemoryUse use() const { return use_; }

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
  using Offset = std::size_t;  ///< from base_

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
  MemoryUse use_;

  std::map<Offset, std::size_t> by_address_;          ///< free ranges below top_, never adjacent
  std::set<std::pair<std::size_t, Offset>> by_size_;  ///< the same

  struct Free {
    void operator()(void* p) const;
  };
  std::unique_ptr<std::uint64_t[], Free> touched_;  ///< a bit per granule: the system gave memory for it
  std::unique_ptr<Slab[], Free> slabs_;             ///< by offset / kSlabBytes
  static constexpr int kClasses = 64;
  std::uint32_t open_[kClasses] = {};  ///< per class, 1 + a slab with free blocks, or 0
};

}  // namespace cvl::cpu
