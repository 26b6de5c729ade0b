#pragma once

#include <functional>
#include <span>
#include <vector>

namespace bench::cuda {

/// Length of a sample, and number of samples, of one measurement.
struct Effort {
  double sample_seconds = 0.003;
  int samples = 7;
};

/// Work to be measured: issue() issues it once, wait() returns when all issued work is complete.
struct Contestant {
  std::function<void()> issue;
  std::function<void()> wait;
  std::vector<double> samples = {};  ///< seconds for one issue()
};

double median(std::vector<double> samples);
double seconds_since_start();

/// Measures the contestants in turns, after one run of each that is not counted. A sample repeats the work for about
/// sample_seconds, and waits once.
void compete(std::span<Contestant* const> contestants, const Effort& effort);

}  // namespace bench::cuda
