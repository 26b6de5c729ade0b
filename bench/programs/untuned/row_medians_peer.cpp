#include <algorithm>
#include <array>

#include "../frame/peer_run.h"
#include "../frame/ragged_rows.h"

PROGRAM_PEER(row_medians) {
  constexpr std::int32_t kLongest = 100;
  const std::int64_t n = run.n();
  const RaggedRows<std::int32_t> rows(
      n, [](std::int64_t k) { return 1 + below(kLongest, k); },
      [](std::int64_t k, std::int32_t j) { return scramble(std::int32_t(kLongest * k + j)); });
  const Buffer<std::int32_t> medians(n);
  run.time([&] {
    run.team().for_chunks(n, 256, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      std::array<std::int32_t, kLongest> row;
      for (std::int64_t k = begin; k < end; ++k) {
        const auto last = std::copy(rows[k].begin(), rows[k].end(), row.begin());
        const auto middle = row.begin() + (last - row.begin()) / 2;
        std::nth_element(row.begin(), middle, last);
        medians[k] = *middle;
      }
    });
  });
  std::uint32_t sum = 0;
  for (std::int64_t k = 0; k < n; ++k) sum += std::uint32_t(medians[k]) * std::uint32_t(k);
  run.result(*std::max_element(medians.begin(), medians.end()), std::int32_t(sum));
  // Operations: about three comparisons for each element.
  run.cost(4.0 * double(rows.elements.size()) + 8.0 * n, 3.0 * double(rows.elements.size()));
  run.report();
}
