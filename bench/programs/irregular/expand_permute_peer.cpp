#include <array>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

constexpr std::int32_t kPlaces = 1000, kBlock = 2048;

/// The targets, and one more for values that are not written.
using Places = std::array<std::int32_t, kPlaces + 1>;

/// Writes the values of a block, which begin with number k, to their targets.
void send(const std::array<std::int32_t, kBlock>& owners, std::int32_t size, std::int64_t k, std::int64_t n,
          std::int32_t kept, Places& places) {
  std::array<std::int32_t, kBlock> targets;
  for (std::int32_t j = 0; j < size; ++j) targets[j] = below(100, k + j + n) < kept ? below(kPlaces, k + j) : kPlaces;
  for (std::int32_t j = 0; j < size; ++j) places[targets[j]] = owners[j];
}

}  // namespace
}  // namespace program_peers

// Expands a block of values at a time: computes their owners, then their targets, then writes them. Each thread has its
// own array of targets.
PROGRAM_PEER(expand_permute) {
  const std::int64_t n = run.n(), threads = run.team().threads(), grain = (n + threads - 1) / threads;
  const auto few = std::int32_t(run.argument(0)), low = std::int32_t(run.argument(1)),
             high = std::int32_t(run.argument(2));
  const auto other_low = std::int32_t(run.argument(3)), other_high = std::int32_t(run.argument(4));
  const auto kept = std::int32_t(run.argument(5));
  const Buffer<std::int32_t> counts(n, [&](std::int64_t i) {
    return below(100, i) < few ? low + below(high - low + 1, i + n)
                               : other_low + below(other_high - other_low + 1, i + n);
  });
  const Buffer<Places> parts(threads);
  const Buffer<std::int64_t> totals(threads);
  Places places{};
  run.time([&] {
    run.team().for_chunks(n, grain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
      std::int64_t total = 0;
      for (std::int64_t i = begin; i < end; ++i) total += counts[i];
      totals[chunk] = total;
    });
    run.team().for_chunks(n, grain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
      parts[chunk].fill(-1);
      std::int64_t first = 0;
      for (std::int64_t before = 0; before < chunk; ++before) first += totals[before];
      std::array<std::int32_t, kBlock> owners;
      std::int32_t size = 0;
      for (std::int64_t i = begin; i < end; ++i) {
        for (std::int32_t left = counts[i]; left > 0;) {
          const std::int32_t part = std::min(left, kBlock - size);
          std::fill_n(owners.begin() + size, part, std::int32_t(i));
          size += part;
          left -= part;
          if (size < kBlock) continue;
          send(owners, size, first, n, kept, parts[chunk]);
          first += size;
          size = 0;
        }
      }
      send(owners, size, first, n, kept, parts[chunk]);
    });
    places = parts[0];
    for (std::int64_t chunk = 1; chunk * grain < n; ++chunk)
      for (std::int32_t place = 0; place < kPlaces; ++place)
        if (parts[chunk][place] >= 0) places[place] = parts[chunk][place];
  });
  std::uint32_t sum = 0;
  double values = 0;
  for (std::int32_t place = 0; place < kPlaces; ++place) sum += std::uint32_t(places[place]) * std::uint32_t(place);
  for (const std::int32_t count : counts) values += count;
  run.result(std::int32_t(sum));
  // Bytes: the counts, read twice. Operations: two hashes and remainders for each value, of about eight operations
  // each.
  run.cost(8.0 * n, 2 * 8.0 * values);
  run.report();
}
