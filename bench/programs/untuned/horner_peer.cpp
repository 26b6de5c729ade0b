#include <algorithm>

#include "../frame/peer_run.h"
#include "../frame/ragged_rows.h"

PROGRAM_PEER(horner) {
  const std::int64_t n = run.n();
  const RaggedRows<double> polynomials(
      n, [](std::int64_t k) { return 1 + below(32, k); },
      [](std::int64_t k, std::int32_t i) { return unit(32 * k + i) - 0.5; });
  const Buffer<double> places(n, [&](std::int64_t k) { return 2.0 * unit(n - k) - 1.0; });
  const Buffer<double> values(n);
  run.time([&] {
    run.team().for_chunks(n, 4096, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        double value = 0;
        for (const double coefficient : polynomials[k]) value = value * places[k] + coefficient;
        values[k] = value;
      }
    });
  });
  double sum = 0;
  for (const double value : values) sum += value;
  run.result(sum, *std::max_element(values.begin(), values.end()));
  run.cost(8.0 * double(polynomials.elements.size()) + 20.0 * n, 2.0 * double(polynomials.elements.size()));
  run.report();
}
