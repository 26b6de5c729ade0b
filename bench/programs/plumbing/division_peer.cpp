#include <limits>

#include "../frame/peer_run.h"

PROGRAM_PEER(division) {
  const std::int64_t n = run.n();
  const Buffer<std::int32_t> s(n, [](std::int64_t i) { return below(std::numeric_limits<std::int32_t>::max(), i); });
  const Buffer<std::int32_t> hours(n), minutes(n), seconds(n);
  run.time([&] {
    run.team().for_chunks(n, 1 << 15, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
#pragma GCC ivdep
      for (std::int64_t i = begin; i < end; ++i) {
        hours[i] = s[i] / 3600 % 24;
        minutes[i] = s[i] / 60 % 60;
        seconds[i] = s[i] % 60;
      }
    });
  });
  std::uint32_t hour_sum = 0, other_sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    hour_sum += std::uint32_t(hours[i]);
    other_sum += std::uint32_t(minutes[i] + seconds[i]);
  }
  run.result(std::int32_t(hour_sum), std::int32_t(other_sum));
  // Operations: four divisions by constants, as multiplications with four operations around them, and three remainders;
  // sixteen ints at a time.
  run.cost(16.0 * n, (4 * 5 + 3 * 2) / 2.0 * n);
  run.report();
}
