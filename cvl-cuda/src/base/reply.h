#pragma once

#include <cstdint>

#include "vcode/arith.h"

namespace cvl::cuda {

/// The most letters of a reply, and the most bytes of a letter.
inline constexpr int kMostTransfers = 32, kMostTransferBytes = 512;

/// Where a kernel puts what the host waits for: memory of the host, mapped for the device, and a number that tells the
/// host that it is there. The kernel itself replies instead of another one that is launched behind it.
struct Reply {
  unsigned char* letters = nullptr;  ///< kMostTransfers of kMostTransferBytes each; null: no reply is wanted
  std::uint64_t* answered = nullptr;
  std::uint64_t number = 0;

  VC_HD bool is_wanted() const { return letters != nullptr; }
  /// Tells the host that the letters are there. Called by one thread, which has met those that wrote letters at a
  /// barrier: its fence covers their stores too.
  VC_HD void give() const {
#if defined(__CUDA_ARCH__)
    __threadfence_system();
    *static_cast<volatile std::uint64_t*>(answered) = number;
#else
    *answered = number;
#endif
  }
  /// Replies with one value. Called by one thread.
  template <class T>
  VC_HD void give(const T& value) const {
    static_assert(sizeof(T) <= kMostTransferBytes && alignof(T) <= 16);
    if (!is_wanted()) return;
    *reinterpret_cast<T*>(letters) = value;
    give();
  }
};

}  // namespace cvl::cuda
