#include <array>
#include <cstring>

#include "../frame/peer_run.h"

// Compares all letters of the word at every position, with vector instructions. Matches are extracted from groups of
// eight positions that are not all zero.
PROGRAM_PEER(string_search) {
  constexpr std::int64_t kBlock = 1024;
  constexpr std::array<char, 5> kWord = {'a', 'b', 'c', 'a', 'd'};
  const std::int64_t n = run.n(), places = n - std::int64_t(kWord.size()) + 1, threads = run.team().threads();
  const std::int64_t grain = (places + threads - 1) / threads;
  const Buffer<char> text(n + kBlock + 16, [&](std::int64_t i) { return i < n ? char('a' + below(4, i)) : char(0); });
  const Buffer<std::int32_t> found(places);
  std::vector<std::int64_t> counts(threads);
  run.time([&] {
    run.team().for_chunks(places, grain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
      std::int32_t* out = found.data() + begin;
      std::array<char, kBlock> hits;
      for (std::int64_t base = begin; base < end; base += kBlock) {
        const char* at = text.data() + base;
        for (std::int64_t i = 0; i < kBlock; ++i)
          hits[i] = char((at[i] == kWord[0]) & (at[i + 1] == kWord[1]) & (at[i + 2] == kWord[2]) &
                         (at[i + 3] == kWord[3]) & (at[i + 4] == kWord[4]));
        for (std::int64_t i = 0; i < kBlock; i += 8) {
          std::uint64_t eight;
          std::memcpy(&eight, hits.data() + i, 8);
          if (eight == 0) continue;
          for (std::int64_t j = i; j < i + 8; ++j)
            if (hits[j] && base + j < end) *out++ = std::int32_t(base + j);
        }
      }
      counts[chunk] = out - (found.data() + begin);
    });
    for (std::int64_t chunk = 1, total = counts[0]; chunk < threads; total += counts[chunk++])
      std::memmove(found.data() + total, found.data() + chunk * grain, std::size_t(counts[chunk]) * 4);
  });
  std::int64_t count = 0;
  for (const std::int64_t part : counts) count += part;
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += std::uint32_t(found[i]);
  run.result(count, std::int32_t(sum));
  // Eight comparisons of letters count as one operation.
  run.cost(double(n) + 4.0 * count, 10.0 / 8 * n);
  run.report();
}
