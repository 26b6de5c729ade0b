#include <algorithm>
#include <array>

#include "../frame/peer_run.h"
#include "../frame/ragged_rows.h"

namespace program_peers {
namespace {

constexpr std::size_t kLongest = 20;

/// Computes one row of the table after the other, in place. Entries are stored less their column, so that a letter
/// added at the end does not change them.
std::int32_t edit_distance(std::span<const char> a, std::span<const char> b) {
  std::array<std::int32_t, kLongest + 1> row{};
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::int32_t diagonal = row[0], left = ++row[0];
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::int32_t above = row[j + 1];
      left = std::min(left, std::min(above + 1, diagonal - (a[i] == b[j])));
      diagonal = above;
      row[j + 1] = left;
    }
  }
  return row[b.size()] + std::int32_t(b.size());
}

}  // namespace
}  // namespace program_peers

PROGRAM_PEER(edit_distances) {
  const std::int64_t n = run.n();
  const RaggedRows<char> words(
      2 * n, [](std::int64_t k) { return 10 + below(11, k); },
      [](std::int64_t k, std::int32_t j) { return char('a' + below(6, 20 * k + j)); });
  const Buffer<std::int32_t> distances(n);
  run.time([&] {
    run.team().for_chunks(n, 256, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) distances[k] = edit_distance(words[2 * k], words[2 * k + 1]);
    });
  });
  std::int64_t sum = 0;
  for (const std::int32_t d : distances) sum += d;
  run.result(sum, *std::min_element(distances.begin(), distances.end()));
  double cells = 0;
  for (std::int64_t k = 0; k < n; ++k) cells += double(words[2 * k].size() * words[2 * k + 1].size());
  run.cost(double(words.elements.size()) + 12.0 * n, 5 * cells);
  run.report();
}
