#pragma once

#include <cstddef>
#include <map>
#include <unordered_map>

#include "cvl/backend.h"
#include "layout/distribution.h"

namespace cvl::mpi {

/// The vectors of a rank. Short ones, and working memory, are memory of the wrapped backend. A vector that may be
/// divided is a reserved range of addresses for the whole vector, so that element e is at data + e * size on every
/// rank; only the pages that are accessed take memory.
///
/// The counts, and whether an allocation succeeds, are the same on every rank: a range counts as much as its longest
/// part can take, and working memory is not counted.
class RankMemory {
 public:
  RankMemory(Backend& inner, const Distribution& distribution, std::size_t limit);
  ~RankMemory();
  RankMemory(const RankMemory&) = delete;
  RankMemory& operator=(const RankMemory&) = delete;

  /// Null if the limit does not allow it. Sets failed() and returns null if this rank has no such memory, though the
  /// limit allows it.
  void* allocate(std::size_t bytes) noexcept;
  void deallocate(void* data, std::size_t bytes) noexcept;
  std::size_t shrink(void* data, std::size_t bytes, std::size_t wanted) noexcept;
  MemoryUse use() const;
  bool failed() const { return failed_; }

  /// Returns the memory of the pages that lie wholly in a part of a range; their bytes are then undefined.
  static void discard(void* data, std::size_t bytes) noexcept;

 private:
  bool is_range(std::size_t bytes) const { return bytes >= static_cast<std::size_t>(distribution_.block()); }
  std::size_t counted(std::size_t bytes) const;
  /// Returns unused ranges to the system, the largest first, until they count at most `most` bytes.
  void release_unused(std::size_t most) noexcept;

  Backend& inner_;
  const Distribution& distribution_;
  const std::size_t limit_;
  std::size_t live_ = 0, peak_ = 0;
  std::size_t unused_counted_ = 0;
  bool failed_ = false;
  std::unordered_map<void*, std::size_t> ranges_;  ///< size in addresses of each range in use
  std::multimap<std::size_t, void*> unused_;       ///< by size
};

}  // namespace cvl::mpi
