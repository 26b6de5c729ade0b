#include "../frame/peer_run.h"
#include "lists.h"

// Sequence k of the result begins at the sum of the starts of its two parts.
PROGRAM_PEER(appends) {
  const std::int64_t n = run.n();
  const Lists a(
      n, [](std::int64_t k) { return below(10, k); },
      [](std::int64_t k, std::int32_t j) { return std::int32_t(j + k); });
  const Lists b(
      n, [](std::int64_t k) { return below(10, k + 1); },
      [](std::int64_t k, std::int32_t j) { return std::int32_t(k - j); });
  const Buffer<std::int32_t> all(a.elements.size() + b.elements.size());
  run.time([&] {
    run.team().for_chunks(n, 4096, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      std::int32_t* out = all.data() + a.starts[begin] + b.starts[begin];
      for (std::int64_t k = begin; k < end; ++k) {
        for (std::int32_t i = a.starts[k]; i < a.starts[k + 1]; ++i) *out++ = a.elements[i];
        for (std::int32_t i = b.starts[k]; i < b.starts[k + 1]; ++i) *out++ = b.elements[i];
      }
    });
  });
  run.result(all.size(), sum_by_place(all.data(), all.size()));
  run.cost(8.0 * double(all.size()) + 8.0 * n, double(all.size()));
  run.report();
}
