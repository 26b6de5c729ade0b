#pragma once

/// Communication from blocks of a launch to later blocks of the same launch: words of a board, each of which is written
/// once per launch.

#include <cstdint>

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

}  // namespace cvl::cuda
