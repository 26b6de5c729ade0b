#pragma once

#include <bit>
#include <cstdint>

#include "base/board_words.h"
#include "base/pool.h"
#include "base/scratch.h"

namespace cvl::cuda {

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
