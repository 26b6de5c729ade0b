#include <algorithm>

#include "../frame/peer_run.h"

// Works in place, since step k changes neither row k nor column k.
PROGRAM_PEER(floyd_warshall) {
  const std::int64_t n = run.n();
  const Buffer<std::int32_t> given(n * n, [&](std::int64_t e) {
    return e / n == e % n ? 0 : below(8, e) == 0 ? 1 + below(1000, e + n * n) : 1000000;
  });
  const Buffer<std::int32_t> distances(n * n);
  run.time([&] {
    std::copy(given.begin(), given.end(), distances.begin());
    for (std::int64_t k = 0; k < n; ++k) {
      const std::int32_t* onward = distances.data() + k * n;
      run.team().for_chunks(n, std::max<std::int64_t>(1, 65536 / n),
                            [&](std::int64_t, std::int64_t begin, std::int64_t end) {
                              for (std::int64_t i = begin; i < end; ++i) {
                                if (i == k) continue;
                                std::int32_t* row = distances.data() + i * n;
                                const std::int32_t to_k = row[k];
#pragma GCC ivdep
                                for (std::int64_t j = 0; j < n; ++j) row[j] = std::min(row[j], to_k + onward[j]);
                              }
                            });
    }
  });
  std::uint32_t sum = 0;
  for (const std::int32_t d : distances) sum += std::uint32_t(d);
  run.result(std::int32_t(sum));
  // Each step reads and writes the whole matrix. Two operations per entry, on sixteen ints at a time, which count as
  // eight floats.
  run.cost(8.0 * n * n * n, n * n * n * 1.0);
  run.report();
}
