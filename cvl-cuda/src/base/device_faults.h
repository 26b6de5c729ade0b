#pragma once

#include <cstdint>

#include "vcode/arith.h"

namespace cvl::cuda {

using vcode::FaultKind;

/// What operations found wrong with their data, in memory of the device.
struct FaultRecord {
  std::uint64_t position = 0;  ///< smallest so far, of the operation that found something first
  std::int64_t value = 0, bound = 0;
  std::uint32_t site = 0;
  FaultKind kind = FaultKind::kNone;
  std::uint32_t lock = 0;
};

/// How the elements of one operation report. The earliest operation wins; within it the smallest position.
struct Faults {
  FaultRecord* record = nullptr;
  volatile std::uint32_t* known = nullptr;  ///< set as well; memory that the host can read without waiting
  std::uint32_t site = 0;

  VC_HD void report(FaultKind kind, std::int64_t position, std::int64_t value, std::int64_t bound = 0) const {
#if defined(__CUDA_ARCH__)
    // Where whole vectors are at fault, few threads get as far as the lock: blocks begin in the order of positions.
    const volatile FaultRecord* seen = record;
    if (seen->kind != FaultKind::kNone && (seen->site != site || seen->position <= std::uint64_t(position))) return;
    for (bool done = false; !done;) {
      if (atomicCAS(&record->lock, 0u, 1u) != 0) continue;
      __threadfence();
      enter(kind, position, value, bound);
      __threadfence();
      atomicExch(&record->lock, 0u);
      done = true;
    }
#else
    enter(kind, position, value, bound);
#endif
    *known = 1;
  }

 private:
  VC_HD void enter(FaultKind kind, std::int64_t position, std::int64_t value, std::int64_t bound) const {
    volatile FaultRecord* held = record;
    if (held->kind != FaultKind::kNone && (held->site != site || held->position <= std::uint64_t(position))) return;
    held->position = std::uint64_t(position);
    held->value = value;
    held->bound = bound;
    held->site = site;
    held->kind = kind;
  }
};

}  // namespace cvl::cuda
