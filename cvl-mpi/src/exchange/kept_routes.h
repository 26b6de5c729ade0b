#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "exchange/rank_group.h"

namespace cvl::mpi {

/// The number of a rank that gets an element.
using Target = std::uint16_t;

/// Where the elements of a rank go by some indices, and the places of those that it gets.
struct KeptRoute {
  std::vector<std::int64_t> sent, received;  ///< elements for and from each rank
  Scratch targets;                           ///< the Target of each of this rank's elements
  Scratch memory_of_places;
  Operand places;  ///< see Routed
};

/// Routes that operations have found, for the next ones with the same indices: iterations send other elements to the
/// same places again and again. A route is kept when it is found a second time. The same on every rank, but for
/// addresses.
class KeptRoutes {
 public:
  /// Indices from the segments of one vector into those of another one: all that a route depends on.
  struct Indices {
    Operand indices;
    SegmentDescriptor from, to;

    bool operator==(const Indices& other) const;
    /// Whether any of these bytes belong to the indices, or to offsets of the segments.
    bool overlap(const void* data, std::size_t bytes) const;
  };

  /// Null if the route is not kept. Valid until the next call.
  const KeptRoute* find(const Indices& indices) const;
  /// Notes that a route is found. Whether it is to be kept.
  bool is_found_again(const Indices& indices);
  /// Keeps the route of the indices noted last.
  void keep(KeptRoute route);
  /// Forgets the routes of indices that have some of these bytes, which change or are freed.
  void remove(const void* data, std::size_t bytes);

 private:
  static constexpr std::size_t kMost = 4;
  struct Found {
    Indices indices;
    bool is_kept = false;
    KeptRoute route = {};
  };
  std::deque<Found> found_;  ///< the last used one first
};

}  // namespace cvl::mpi
