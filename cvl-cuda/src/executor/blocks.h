#pragma once

/// Block and related definitions. Included where Executor::tiles, tiles_then or tiles_in_order is called.

#include "executor/executor.h"

#if defined(__CUDACC__)
#include "executor/cuda_blocks.h"
#include "vcode/arith.h"
#endif

namespace cvl::cuda {

/// The most elements of an operation that is one launch of one block instead of several launches.
inline constexpr std::int64_t kShort = 8192;

/// The shared memory of blocks that need none.
struct NothingShared {
  int unused;
};

/// The heads of a scan over a single segment.
struct NoHeads {
  static constexpr bool kAny = false;
  VC_HD constexpr std::uint32_t bits(int, int) const { return 0; }
};

}  // namespace cvl::cuda
