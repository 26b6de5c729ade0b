#include <algorithm>
#include <array>

#include "../frame/peer_run.h"

// Computes four rays at a time, since the steps of one ray depend on each other.
PROGRAM_PEER(line_of_sight) {
  constexpr std::int64_t kLength = 500, kTogether = 4;
  const std::int64_t n = run.n();
  const Buffer<double> rays(n * kLength, [](std::int64_t e) { return unit(e) * double(1 + e % kLength) * 0.01; });
  const Buffer<std::int32_t> counts(n);
  const Buffer<double> distances(kLength, [](std::int64_t i) { return 1.0 / double(i + 1); });
  run.time([&] {
    run.team().for_chunks(n, 64, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      std::array<double, kLength * kTogether> angles;
      for (std::int64_t first = begin; first < end; first += kTogether) {
        const std::int64_t together = std::min(kTogether, end - first);
        for (std::int64_t r = 0; r < together; ++r) {
          const double* ray = rays.data() + (first + r) * kLength;
          for (std::int64_t i = 0; i < kLength; ++i) angles[r * kLength + i] = (ray[i] - 1.0) * distances[i];
        }
        std::array<double, kTogether> highest;
        highest.fill(-1e300);
        std::array<std::int32_t, kTogether> seen{};
        for (std::int64_t i = 0; i < kLength; ++i)
          for (std::int64_t r = 0; r < kTogether; ++r) {
            const double angle = angles[r * kLength + i];
            seen[r] += angle > highest[r];
            highest[r] = std::max(highest[r], angle);
          }
        std::copy_n(seen.begin(), together, counts.data() + first);
      }
    });
  });
  std::int64_t sum = 0;
  for (const std::int32_t count : counts) sum += count;
  run.result(*std::max_element(counts.begin(), counts.end()), sum);
  run.cost(8.0 * n * kLength, 4.0 * n * kLength);
  run.report();
}
