#pragma once

#include <benchmark/benchmark.h>

#include <functional>

#include "cases.h"

namespace bench {

/// Length and number of the samples of a benchmark.
struct Effort {
  double seconds = 0.2;          ///< for all samples of one benchmark
  double sample_seconds = 2e-4;  ///< a sample repeats the operation until it takes about this long
  int least_samples = 9;
};

/// Runs one case: checks that library and peer agree, then times library, peer and a copy that moves as many bytes, in
/// turns, so that other load on the machine affects all three alike. Reports medians.
void run_case(benchmark::State& state, const Case& row, ElemType type, Workspace& workspace, const Effort& effort);

}  // namespace bench
