#pragma once

/// To be included where Executor::tiles, folds or tiles_in_order is called: Block, and what it works with.

#include "executor/executor.h"

#if defined(__CUDACC__)
#include "executor/cuda_blocks.h"
#endif

namespace cvl::cuda {

/// Up to so many elements an operation is one launch of one block, where it would else be several launches.
inline constexpr std::int64_t kShort = 4 * kTile;

}  // namespace cvl::cuda
