#pragma once

#include <cstdint>
#include <thread>

namespace cvl::cuda {

/// Tells the processor that this thread spins, so that the other hardware thread of the core gets more of it.
inline void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Waits until answered() is true. Most answers arrive within microseconds, so the first polls are separated by a pause
/// of the processor only; later polls yield the processor to other threads. A device that failed never answers:
/// check(), which throws if the device failed or if there is no reason to wait any longer, is called once in
/// kLooksPerCheck polls.
template <class Answered, class Check>
void poll_until(Answered answered, Check check) {
  constexpr std::uint32_t kEagerLooks = 1024, kLooksPerCheck = 1 << 14;
  for (std::uint32_t looks = 1; !answered(); ++looks) {
    if (looks % kLooksPerCheck == 0) check();
    if (looks < kEagerLooks)
      pause_processor();
    else
      std::this_thread::yield();
    if (looks == 2 * kLooksPerCheck) looks = kLooksPerCheck;  // stays above kEagerLooks
  }
}

}  // namespace cvl::cuda
