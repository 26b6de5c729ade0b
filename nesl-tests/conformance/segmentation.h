#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "random_data.h"

namespace cvl::conformance {

/// A division of a vector into segments.
struct Segmentation {
  std::string name;
  std::vector<std::int64_t> lengths;

  std::int64_t segments() const { return static_cast<std::int64_t>(lengths.size()); }
  std::int64_t elements() const;
  bool regular() const;
};

/// Segmentations of `elements` elements of different kinds: one segment, equal ones, irregular ones, one huge among
/// many tiny, empty ones at every position. `thorough` adds more of them.
std::vector<Segmentation> segmentations(std::int64_t elements, bool thorough, Rng& rng);

/// As many segments as `like`, each of a random length up to about twice its length and at least
/// `least` times it; an empty one stays empty unless `fill_empty`.
Segmentation partner(const Segmentation& like, double least, bool fill_empty, Rng& rng);

}  // namespace cvl::conformance
