#pragma once

/// Communication from blocks of a launch to later blocks of the same launch: words of a board, each of which is written
/// once per launch.

#include <bit>
#include <cstdint>
#include <cstring>

#include "base/pool.h"
#include "base/scratch.h"
#include "vcode/arith.h"

#if !defined(__CUDA_ARCH__)
#include <atomic>
#endif

namespace cvl::cuda {

/// The content of a word of a board.
struct Payload {
  std::uint64_t low = 0;
  std::uint32_t high = 0;
};

/// A payload and, in the same 16 bytes, the epoch of the launch that wrote it. Both are read and written at once: a
/// reader that finds the epoch of its own launch has the payload too, without another load or a fence.
struct alignas(16) BoardWord {
  std::uint64_t low;
  std::uint32_t high, epoch;
};

/// The board of one launch. Words of another epoch were written by earlier launches, so that no word need be cleared.
struct Board {
  BoardWord* words = nullptr;
  std::uint32_t epoch = 0;

  VC_HD void put(std::int64_t k, Payload payload) const {
    BoardWord* const at = words + k;
#if defined(__CUDA_ARCH__)
    const std::uint64_t second = std::uint64_t(epoch) << 32 | payload.high;
    asm volatile("{\n .reg .b128 w;\n mov.b128 w, {%1, %2};\n st.relaxed.gpu.global.b128 [%0], w;\n}" ::"l"(at),
                 "l"(payload.low), "l"(second)
                 : "memory");
#else
    at->low = payload.low;
    at->high = payload.high;
    std::atomic_ref(at->epoch).store(epoch, std::memory_order_release);
#endif
  }
  /// True if this launch has written word k.
  VC_HD bool get(std::int64_t k, Payload& payload) const {
    BoardWord* const at = words + k;
#if defined(__CUDA_ARCH__)
    std::uint64_t second;
    asm volatile("{\n .reg .b128 w;\n ld.relaxed.gpu.global.b128 w, [%2];\n mov.b128 {%0, %1}, w;\n}"
                 : "=l"(payload.low), "=l"(second)
                 : "l"(at)
                 : "memory");
    payload.high = static_cast<std::uint32_t>(second);
    return static_cast<std::uint32_t>(second >> 32) == epoch;
#else
    if (std::atomic_ref(at->epoch).load(std::memory_order_acquire) != epoch) return false;
    payload = {at->low, at->high};
    return true;
#endif
  }
};

/// The memory of boards, kept from launch to launch outside the pool, so that its 16 bytes for each tile of 4096
/// elements do not count as memory of the program.
class BoardMemory {
 public:
  static constexpr std::int64_t kAtFirst = 1 << 14;  ///< words

  BoardMemory(Pool& pool, MemorySource& source) : pool_(pool), source_(source) {}
  ~BoardMemory() { release(); }
  BoardMemory(const BoardMemory&) = delete;
  BoardMemory& operator=(const BoardMemory&) = delete;

  /// A board of n words for the next launch. clear(data, bytes) zeroes memory in the order of launches; it is called
  /// only after memory was allocated, and once in 2^32 launches. Throws OutOfMemory.
  template <class Clear>
  Board next(std::int64_t n, Clear clear) {
    if (words_ == nullptr || n > capacity_) grow(n);
    if (epoch_ == UINT32_MAX) is_clear_ = false;
    if (!is_clear_) {
      clear(words_, bytes());
      is_clear_ = true;
      epoch_ = 0;
    }
    return {words_, ++epoch_};
  }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(capacity_) * sizeof(BoardWord); }
  void release() noexcept {
    if (words_ != nullptr) source_.give_back(words_, bytes());
    words_ = nullptr;
    capacity_ = 0;
  }
  void grow(std::int64_t n) {
    release();
    is_clear_ = false;
    const auto wanted = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
    const std::int64_t capacity = wanted < kAtFirst ? kAtFirst : wanted;
    const std::size_t size = static_cast<std::size_t>(capacity) * sizeof(BoardWord);
    void* data = source_.take(size);
    if (data == nullptr) {
      pool_.give_back();
      data = source_.take(size);
    }
    if (data == nullptr) throw OutOfMemory(size);
    words_ = static_cast<BoardWord*>(data);
    capacity_ = capacity;
  }

  Pool& pool_;
  MemorySource& source_;
  BoardWord* words_ = nullptr;
  std::int64_t capacity_ = 0;
  bool is_clear_ = false;
  std::uint32_t epoch_ = 0;
};

}  // namespace cvl::cuda
