#include "segmentation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace cvl::conformance {

std::int64_t Segmentation::elements() const { return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}); }

bool Segmentation::regular() const {
  return std::all_of(lengths.begin(), lengths.end(), [&](std::int64_t n) { return n == lengths.front(); });
}

namespace {

using Lengths = std::vector<std::int64_t>;

/// Segments of random lengths in [least, most] that together have `elements` elements.
Lengths random_lengths(std::int64_t elements, std::int64_t least, std::int64_t most, Rng& rng) {
  Lengths lengths;
  while (elements > 0) {
    std::int64_t n = std::min(elements, least + rng.below(most - least + 1));
    lengths.push_back(n);
    elements -= n;
  }
  return lengths;
}

Lengths concat(std::initializer_list<Lengths> parts) {
  Lengths all;
  for (const Lengths& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

std::vector<Segmentation> segmentations(std::int64_t elements, bool thorough, Rng& rng) {
  const std::int64_t n = elements;
  std::vector<Segmentation> all{{"one segment", {n}}};
  if (n == 0) {
    all.push_back({"no segments", {}});
    all.push_back({"three empty segments", {0, 0, 0}});
    all.push_back({"1000 empty segments", Lengths(1000, 0)});
    return all;
  }
  for (std::int64_t d : {10, 64, 2, 3, 5, 7, 1000}) {
    if (n % d != 0 || n == d) continue;
    all.push_back({fmt::format("segments of {}", d), Lengths(n / d, d)});
    all.push_back({fmt::format("{} equal segments", d), Lengths(d, n / d)});
    if (!thorough) break;
  }
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)));
  all.push_back({"random lengths 0 to 4", random_lengths(n, 0, 4, rng)});
  std::int64_t huge = n - n / 10;
  all.push_back({"a huge one among tiny ones", concat({random_lengths((n - huge) / 2, 0, 3, rng),
                                                       {huge},
                                                       random_lengths(n - huge - (n - huge) / 2, 0, 3, rng)})});
  if (!thorough) return all;
  all.push_back({"segments of 1", Lengths(n, 1)});
  all.push_back({"segments of 1 around another", concat({Lengths(n / 4, 1), {n - n / 4 * 2}, Lengths(n / 4, 1)})});
  all.push_back({"random lengths 1 to 20", random_lengths(n, 1, 20, rng)});
  all.push_back({"random lengths to 2*sqrt(n)", random_lengths(n, 0, 2 * root, rng)});
  all.push_back({"a huge one, then tiny ones", concat({{huge}, random_lengths(n - huge, 0, 3, rng)})});
  all.push_back({"tiny ones, then a huge one", concat({random_lengths(n - huge, 0, 3, rng), {huge}})});
  all.push_back({"empty first", {0, n}});
  all.push_back({"empty last", {n, 0}});
  all.push_back({"empty first, middle and last", {0, 0, n / 2, 0, n - n / 2, 0}});
  all.push_back({"many empty ones around and between",
                 concat({Lengths(300, 0), {n / 3}, Lengths(500, 0), {n - n / 3}, Lengths(200, 0)})});
  return all;
}

Segmentation partner(const Segmentation& like, double least, bool fill_empty, Rng& rng) {
  Segmentation other{like.name + " with a partner", like.lengths};
  for (std::int64_t& n : other.lengths) {
    if (n == 0 && !fill_empty) continue;
    auto low = static_cast<std::int64_t>(std::ceil(least * static_cast<double>(n)));
    n = low + rng.below(2 * n + 3 - low);
  }
  return other;
}

}  // namespace cvl::conformance
