#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "cvl/backend.h"

namespace cvl::cuda {

/// Where a pool allocates its memory.
class MemorySource {
 public:
  virtual ~MemorySource() = default;
  /// Null if no memory is left.
  virtual void* take(std::size_t bytes) noexcept = 0;
  virtual void give_back(void* data, std::size_t bytes) noexcept = 0;
  /// Waits until released memory can be allocated again, by any user of the device.
  virtual void settle() noexcept = 0;
};

/// The limit of a pool on a device with `free` free bytes. The rest is reserved for the driver's own allocations: the
/// code of kernels, loaded when they are first launched, and their stacks.
constexpr std::size_t limit_for(std::size_t free) {
  constexpr std::size_t kReserve = std::size_t{256} << 20;
  const std::size_t reserve = free / 32 > kReserve ? free / 32 : kReserve;
  return free / 2 > reserve ? free - reserve : free / 2;
}

/// Whether a pool caches released blocks. Only with kNone does a memory checker see the ends and the frees of blocks.
enum class Keeping { kAll, kNone };
/// kNone if the environment variable CVL_CUDA_POOL is `off`.
Keeping keeping_from_environment();

/// Caches released blocks by size, so that in steady state nothing is allocated from the source. Operations run in the
/// order of issue, on one stream, so a block can be reused as soon as it is released.
class Pool {
 public:
  /// `limit` bounds the bytes in use at one time. The bytes allocated from the source exceed it by at most an eighth,
  /// the rounding of sizes. The source outlives the pool.
  Pool(MemorySource& source, std::size_t limit, Keeping keeping = keeping_from_environment())
      : source_(source), keeping_(keeping) {
    use_.limit = limit;
  }
  ~Pool() { trim(); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Aligned as the source aligns. Null beyond the limit, or if the source has no memory left even after all cached
  /// blocks were returned to it.
  void* allocate(std::size_t bytes) noexcept;
  /// The block may be allocated again at once; with `waits`, only after end_waiting().
  void deallocate(void* data, std::size_t bytes, bool waits = false) noexcept;
  void end_waiting() noexcept;
  const MemoryUse& use() const { return use_; }
  /// Returns all cached blocks to the source, and waits until they are free.
  void give_back() noexcept {
    trim();
    source_.settle();
  }

  /// Sets a function that is called before blocks are returned to the source, because operations that were not issued
  /// yet may use these blocks. May be null.
  void before_giving_back(std::function<void()> call) { before_giving_back_ = std::move(call); }

  /// For tests: the nth allocation from now on, n > 0, returns null; 0 cancels this.
  void refuse(std::int64_t n) { refused_ = n; }

 private:
  /// The size of the block for `bytes` bytes.
  std::size_t block_size(std::size_t bytes) const;
  void trim() noexcept;

  MemorySource& source_;
  const Keeping keeping_;
  MemoryUse use_;
  std::function<void()> before_giving_back_;
  std::int64_t refused_ = 0;
  std::map<std::size_t, std::vector<void*>> free_;  ///< by size of the block
  std::vector<std::pair<std::size_t, void*>> waiting_;
};

}  // namespace cvl::cuda
