#pragma once

/// To be included where Executor::tiles, tiles_then or tiles_in_order is called: Block, and what it works with.

#include "executor/executor.h"

#if defined(__CUDACC__)
#include "executor/cuda_blocks.h"
#include "vcode/arith.h"
#endif

namespace cvl::cuda {

/// An operation on up to this many elements is one launch of one block instead of several launches.
inline constexpr std::int64_t kShort = 8192;

/// What the threads of a block share that share nothing.
struct NothingShared {
  int unused;
};

/// The heads of a scan whose elements are all of one segment.
struct NoHeads {
  static constexpr bool kAny = false;
  VC_HD constexpr std::uint32_t bits(int, int) const { return 0; }
};

}  // namespace cvl::cuda
