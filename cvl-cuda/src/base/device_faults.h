#pragma once

#include <cstdint>

#include "base/atomics.h"
#include "vcode/arith.h"

namespace cvl::cuda {

using vcode::FaultKind;

/// What a kernel of several steps reports as a position: faults of earlier steps come first. Operations are step 0.
constexpr int kPositionBits = 44;
VC_HD constexpr std::int64_t position_in_kernel(std::int64_t step, std::int64_t position) {
  return step << kPositionBits | position;
}

/// The first fault that operations found in their data, in memory of the device.
struct FaultRecord {
  static constexpr std::uint64_t kNobody = UINT64_MAX;  ///< no site, as these have 32 bits

  std::uint64_t site = kNobody;         ///< of the operation that reported first; never changes after that
  std::uint64_t position = UINT64_MAX;  ///< smallest that this operation reported so far: see position_in_kernel()
  std::int64_t value = 0, bound = 0;    ///< of that position as soon as the operation has ended; like the kind
  std::uint32_t lock = 0;               ///< held by whoever writes value, bound and kind
  FaultKind kind = FaultKind::kNone;
};

/// How the elements of one operation report. The earliest operation wins, as operations run one after the other; within
/// it the smallest position.
struct Faults {
  FaultRecord* record = nullptr;
  std::uint32_t* known = nullptr;  ///< set to 1; the host reads it without waiting for the device
  std::uint32_t site = 0;

  /// Where a vector is wholly at fault, one lane of each warp reads the smallest position so far, and most find one
  /// that is smaller than their own. Only a thread that lowers it takes the lock: few do, as blocks begin roughly in
  /// the order of their positions.
  VC_HD void report(FaultKind kind, std::int64_t position, std::int64_t value, std::int64_t bound = 0) const {
    const auto mine = static_cast<std::uint64_t>(position);
    if (is_behind_another_lane(mine)) return;
    std::uint64_t owner = load_relaxed(&record->site);
    if (owner == FaultRecord::kNobody)
      owner = atomic_cas(&record->site, FaultRecord::kNobody, static_cast<std::uint64_t>(site));
    if (owner != FaultRecord::kNobody && owner != site) return;
    // From here on the position in the record is one of this operation.
    if (load_relaxed(&record->position) <= mine || atomic_min(&record->position, mine) <= mine) return;
    store_relaxed(known, std::uint32_t{1});
    const Lock lock{&record->lock};
    while (load_relaxed(&record->position) == mine) {
      if (!lock.try_acquire()) {
        Lock::pause();
        continue;
      }
      // Whoever sets a smaller minimum after this look writes after this thread.
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
  /// True if a lane that reports together with this one has a smaller position, for which it does everything. The
  /// lowest lane is the one with the smallest in all callers; where it were not, more than one lane would go on.
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
