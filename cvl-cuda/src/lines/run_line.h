#pragma once

#include "executor/executor.h"
#include "lines/steps.h"

namespace cvl::cuda {

/// Launches one block that runs the steps of a batch. Throws OutOfMemory.
void run_line(Executor& executor, const Line& line);

}  // namespace cvl::cuda
