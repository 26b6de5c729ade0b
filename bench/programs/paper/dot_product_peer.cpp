#include "../frame/peer_run.h"

PROGRAM_PEER(dot_product) {
  const std::int64_t n = run.n();
  const Buffer<double> v(n, unit), w(n, [&](std::int64_t i) { return unit(n + i); });
  constexpr std::int64_t kGrain = 1 << 15;
  std::vector<double> parts(n / kGrain + 1);
  double product = 0;
  run.time([&] {
    run.team().for_chunks(n, kGrain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
      double sum = 0;
      for (std::int64_t i = begin; i < end; ++i) sum += v[i] * w[i];
      parts[chunk] = sum;
    });
    product = 0;
    for (const double part : parts) product += part;
  });
  run.result(product);
  run.cost(16.0 * n, 2.0 * n);
  run.report();
}
