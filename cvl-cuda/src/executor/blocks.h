#pragma once

/// To be included where Executor::tiles, folds or tiles_in_order is called: Block, and what it works with.

#include "executor/executor.h"

#if defined(__CUDACC__)
#include "executor/cuda_blocks.h"
#endif

namespace cvl::cuda {

/// An operation on up to this many elements is one launch of one block instead of several launches.
inline constexpr std::int64_t kShort = 4 * kTile;

}  // namespace cvl::cuda
