#include "sampling.h"

#include <algorithm>
#include <chrono>

namespace bench::cuda {
namespace {

double sample(const Contestant& contestant, int times) {
  const double start = seconds_since_start();
  for (int t = 0; t < times; ++t) contestant.issue();
  contestant.wait();
  return (seconds_since_start() - start) / times;
}

}  // namespace

double median(std::vector<double> samples) {
  std::nth_element(samples.begin(), samples.begin() + std::ptrdiff_t(samples.size() / 2), samples.end());
  return samples[samples.size() / 2];
}

double seconds_since_start() {
  static const auto kStart = std::chrono::steady_clock::now();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - kStart).count();
}

void compete(std::span<Contestant* const> contestants, const Effort& effort) {
  constexpr double kShortest = 1e-7;
  constexpr int kMostTimes = 1000;
  std::vector<int> times;
  for (const Contestant* contestant : contestants) {
    sample(*contestant, 1);
    const double once = std::max(kShortest, sample(*contestant, 3));
    times.push_back(std::clamp(int(effort.sample_seconds / once), 1, kMostTimes));
  }
  for (int s = 0; s < effort.samples; ++s)
    for (std::size_t c = 0; c < contestants.size(); ++c)
      contestants[c]->samples.push_back(sample(*contestants[c], times[c]));
}

}  // namespace bench::cuda
