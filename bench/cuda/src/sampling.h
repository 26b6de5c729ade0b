#pragma once

#include <functional>
#include <span>
#include <vector>

namespace bench::cuda {

/// How long one measurement may take.
struct Effort {
  double sample_seconds = 0.003;
  int samples = 7;
};

/// What is measured: issue() asks for the work once, wait() returns when all that was asked for is done.
struct Contestant {
  std::function<void()> issue;
  std::function<void()> wait;
  std::vector<double> samples = {};  ///< seconds for one issue()
};

double median(std::vector<double> samples);
double seconds_since_start();

/// Lets the contestants take turns, after one run of each that does not count. A sample repeats the work to last for
/// about sample_seconds, and waits once.
void compete(std::span<Contestant* const> contestants, const Effort& effort);

}  // namespace bench::cuda
