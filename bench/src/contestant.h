#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace bench {

/// A competitor in a benchmark, and its samples in seconds per call.
struct Contestant {
  std::function<void()> work;
  std::int64_t times = 1;
  std::vector<double> samples = {};

  static double seconds_of(const std::function<void()>& work, std::int64_t times) {
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t t = 0; t < times; ++t) work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  /// Chooses the number of calls in a sample, so that a sample takes about this long.
  void calibrate(double sample_seconds) {
    work();
    const double once = std::max(1e-9, seconds_of(work, 3) / 3);
    times = std::max<std::int64_t>(1, std::int64_t(sample_seconds / once));
  }
  /// Times one sample, after an untimed call that fills the caches with this contestant's data.
  void sample() {
    work();
    samples.push_back(seconds_of(work, times) / double(times));
  }
  double median() const {
    std::vector<double> sorted = samples;
    std::nth_element(sorted.begin(), sorted.begin() + std::ptrdiff_t(sorted.size() / 2), sorted.end());
    return sorted[sorted.size() / 2];
  }
  double least() const { return *std::min_element(samples.begin(), samples.end()); }
};

}  // namespace bench
