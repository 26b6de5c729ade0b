#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
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
  /// Waits until what was given back can be taken again, by anybody who uses the device.
  virtual void settle() noexcept = 0;
};

/// The limit of a pool on a device with so many bytes free. The rest is for what the driver allocates later: the code
/// of kernels, which it loads when they are first launched, and their stacks.
constexpr std::size_t limit_for(std::size_t free) {
  constexpr std::size_t kReserve = std::size_t{256} << 20;
  const std::size_t reserve = free / 32 > kReserve ? free / 32 : kReserve;
  return free / 2 > reserve ? free - reserve : free / 2;
}

/// Whether a pool keeps blocks. A memory checker sees where a block ends and that it was freed only if the pool keeps
/// none.
enum class Keeping { kAll, kNone };
/// kNone if the environment variable CVL_CUDA_POOL is `off`.
Keeping keeping_from_environment();

/// Caches the blocks that were given back, by size, so that in steady state the source is not asked for memory.
/// Operations run in the order of issue, on one stream, so a block can be handed out again at once.
class Pool {
 public:
  /// `limit` bounds the bytes handed out at one time; those taken from the source exceed it only by what sizes are
  /// rounded up, an eighth. The source outlives the pool.
  Pool(MemorySource& source, std::size_t limit, Keeping keeping = keeping_from_environment())
      : source_(source), keeping_(keeping) {
    use_.limit = limit;
  }
  ~Pool() { trim(); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Aligned as the source aligns. Null beyond the limit, or if the source has no more even after all cached blocks
  /// were given back to it.
  void* allocate(std::size_t bytes) noexcept;
  void deallocate(void* data, std::size_t bytes) noexcept;
  const MemoryUse& use() const { return use_; }
  /// Gives all cached blocks back to the source, and waits until they are free.
  void give_back() noexcept {
    trim();
    source_.settle();
  }

  /// What is called before blocks are given back to the source: operations that were not issued yet may use them. May
  /// be null.
  void before_giving_back(std::function<void()> call) { before_giving_back_ = std::move(call); }

  /// For tests: the nth allocation from now on, n > 0, returns null; 0 takes that back.
  void refuse(std::int64_t n) { refused_ = n; }

 private:
  /// The size of the block for so many bytes.
  std::size_t block_size(std::size_t bytes) const;
  void trim() noexcept;

  MemorySource& source_;
  const Keeping keeping_;
  MemoryUse use_;
  std::function<void()> before_giving_back_;
  std::int64_t refused_ = 0;
  std::map<std::size_t, std::vector<void*>> free_;  ///< by size of the block
};

}  // namespace cvl::cuda
