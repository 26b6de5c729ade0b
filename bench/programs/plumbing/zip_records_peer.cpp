#include <cstring>

#include "../frame/peer_run.h"
#include "lists.h"

// Keeps records as columns. Every record is written, and overwritten by the next unless it is selected. The shares of
// the threads are then moved together.
PROGRAM_PEER(zip_records) {
  const std::int64_t n = run.n(), threads = run.team().threads(), grain = (n + threads - 1) / threads;
  const Buffer<std::int32_t> names(n, [&](std::int64_t i) { return below(std::int32_t(n), i); });
  const Buffer<std::int32_t> numbers(n, [&](std::int64_t i) { return below(10, i + n); });
  const Buffer<double> prices(n, unit), totals(n + 1);
  const Buffer<std::int32_t> chosen(n + 1);
  std::vector<std::int64_t> sizes(threads);
  std::int64_t size = 0;
  run.time([&] {
    run.team().for_chunks(n, grain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
      std::int64_t place = begin;
      for (std::int64_t i = begin; i < end; ++i) {
        chosen[place] = names[i];
        totals[place] = prices[i] * double(numbers[i]);
        place += numbers[i] > 2;
      }
      sizes[chunk] = place - begin;
    });
    size = sizes[0];
    for (std::int64_t chunk = 1; chunk < threads; size += sizes[chunk++]) {
      std::memmove(chosen.data() + size, chosen.data() + chunk * grain, std::size_t(sizes[chunk]) * 4);
      std::memmove(totals.data() + size, totals.data() + chunk * grain, std::size_t(sizes[chunk]) * 8);
    }
  });
  double total = 0;
  for (std::int64_t i = 0; i < size; ++i) total += totals[i];
  run.result(size, sum_by_place(chosen.data(), size), total);
  run.cost(16.0 * n + 12.0 * double(size), 3.0 * n);
  run.report();
}
