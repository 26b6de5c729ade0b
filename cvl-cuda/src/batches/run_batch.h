#pragma once

#include "batches/steps.h"
#include "executor/executor.h"

namespace cvl::cuda {

/// Launches one block that runs the steps of a batch. Throws OutOfMemory.
void run_batch(Executor& executor, const Batch& batch);

}  // namespace cvl::cuda
