#pragma once

#include <cstdint>

#include "base/atomics.h"
#include "vcode/arith.h"

namespace cvl::cuda {

using vcode::FaultKind;

/// The position that a kernel of several steps reports: the step in the upper bits, so that faults of earlier steps
/// come first. Operations are step 0.
constexpr int kPositionBits = 44;
VC_HD constexpr std::int64_t position_in_kernel(std::int64_t step, std::int64_t position) {
  return step << kPositionBits | position;
}

/// The first fault that operations found in their data. Lies in memory of the device.
struct FaultRecord {
  static constexpr std::uint64_t kNobody = UINT64_MAX;  ///< no site: sites have 32 bits

  std::uint64_t site = kNobody;         ///< of the operation that reported first; never changes after that
  std::uint64_t position = UINT64_MAX;  ///< smallest that this operation has reported so far: see position_in_kernel()
  std::int64_t value = 0, bound = 0;    ///< of that position, like the kind; valid once the operation has ended
  std::uint32_t lock = 0;               ///< held while value, bound and kind are written
  FaultKind kind = FaultKind::kNone;
};

/// The reporter of faults for the elements of one operation. Of several operations the earliest wins, since operations
/// run one after the other; within one operation the smallest position wins.
struct Faults {
  FaultRecord* record = nullptr;
  std::uint32_t* known = nullptr;  ///< set to 1 by the first report; the host reads it without waiting for the device
  std::uint32_t site = 0;

  /// Where a whole vector is at fault, one lane of each warp reads the smallest position so far, and most find one that
  /// is smaller than their own. Only a thread that lowers the position takes the lock. Few do, since blocks begin
  /// roughly in the order of their positions.
  VC_HD void report(FaultKind kind, std::int64_t position, std::int64_t value, std::int64_t bound = 0) const {
    const auto mine = static_cast<std::uint64_t>(position);
    if (is_behind_another_lane(mine)) return;
    std::uint64_t owner = load_relaxed(&record->site);
    if (owner == FaultRecord::kNobody)
      owner = atomic_cas(&record->site, FaultRecord::kNobody, static_cast<std::uint64_t>(site));
    if (owner != FaultRecord::kNobody && owner != site) return;
    // From here on the record's position was reported by this operation.
    if (load_relaxed(&record->position) <= mine || atomic_min(&record->position, mine) <= mine) return;
    store_relaxed(known, std::uint32_t{1});
    const Lock lock{&record->lock};
    while (load_relaxed(&record->position) == mine) {
      if (!lock.try_acquire()) {
        Lock::pause();
        continue;
      }
      // A thread that lowers the position after this check acquires the lock, and so writes, after this thread.
      if (load_relaxed(&record->position) == mine) {
        record->value = value;
        record->bound = bound;
        record->kind = kind;
      }
      lock.release();
      return;
    }
  }

 private:
  /// True if a lane that reports together with this one has a smaller position, and so reports for this one too. In all
  /// callers the lowest active lane has the smallest position; otherwise more than one lane would go on.
  VC_HD static bool is_behind_another_lane([[maybe_unused]] std::uint64_t position) {
#if defined(__CUDA_ARCH__)
    const unsigned together = __activemask();
    const unsigned long long lowest =
        __shfl_sync(together, static_cast<unsigned long long>(position), __ffs(together) - 1);
    return lowest < position;
#else
    return false;
#endif
  }
};

}  // namespace cvl::cuda
