#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "cvl/backend.h"

namespace cvl::cuda {

/// Where a pool takes its memory from.
class MemorySource {
 public:
  virtual ~MemorySource() = default;
  /// Null if there is no more.
  virtual void* take(std::size_t bytes) noexcept = 0;
  virtual void give_back(void* data, std::size_t bytes) noexcept = 0;
};

/// Keeps the blocks that were given back for those who ask next, so that in steady state nobody asks the source.
/// Operations on a block run in the order of issue, on one stream: a block can be handed out again at once.
class Pool {
 public:
  /// `limit` bounds the bytes handed out at one time. The source outlives the pool.
  Pool(MemorySource& source, std::size_t limit) : source_(source) { use_.limit = limit; }
  ~Pool() { trim(); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Aligned as the source aligns. Null beyond the limit or if the source has no more, even after all that is kept was
  /// given back to it.
  void* allocate(std::size_t bytes) noexcept;
  void deallocate(void* data, std::size_t bytes) noexcept;
  const MemoryUse& use() const { return use_; }

 private:
  void trim() noexcept;

  MemorySource& source_;
  MemoryUse use_;
  std::map<std::size_t, std::vector<void*>> free_;  ///< by size of the block
};

}  // namespace cvl::cuda
