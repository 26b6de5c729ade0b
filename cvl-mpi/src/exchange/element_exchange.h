#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "exchange/element_gather.h"
#include "exchange/kept_routes.h"
#include "exchange/rank_group.h"

namespace cvl::mpi {

// Exchanges of single elements, in bulk.

/// Exchanges elements of `size` bytes: sent[r] of those at `from` go to rank r, and received[r] come from it, to `to`.
/// Elements for, and from, the ranks follow one another. If this rank sends itself none, those from it are in place.
/// One round of messages.
void exchange_parts(const RankGroup& group, std::size_t size, const std::vector<std::int64_t>& sent, const void* from,
                    const std::vector<std::int64_t>& received, void* to);

/// Operands of exchange_parts().
struct PartsOfRanks {
  std::size_t size;
  const std::vector<std::int64_t>& sent;
  const void* from;
  const std::vector<std::int64_t>& received;
  void* to;
};
/// The same for elements of several vectors, in one round of messages.
void exchange_parts(const RankGroup& group, std::span<const PartsOfRanks> vectors);

/// Elements that have come to the rank of their places in a vector, in the order of the elements that they come from.
struct Routed {
  /// Room for elements with places on a rank of `targets`.
  Routed(const RankGroup& group, ElemType type, std::vector<std::int64_t> counts, const Ranges& targets);
  /// Room for elements whose places are known.
  Routed(const RankGroup& group, ElemType type, std::vector<std::int64_t> counts, const Operand& places_of_all);

  std::vector<std::int64_t> from_rank;  ///< number of elements from each rank; they follow one another
  std::int64_t size;
  Scratch memory_of_places, memory_of_values;
  Operand places;  ///< of each element, counted from the first one of this rank; INTs of 32 bits if these suffice
  Operand values;
};

/// Elements that go to places: each of a rank's elements goes to its place in a vector that is divided as `targets`
/// says, and nowhere if that is negative.
struct Routing {
  Range elements;         ///< of this rank
  std::int64_t most = 0;  ///< elements of the rank with the most
  Operand values;         ///< the vector with the elements
  WritePositions write_places;
  Ranges targets;
  bool is_everywhere = false;  ///< every rank has all elements, and keeps those with places of its own
};

/// A part of the places, whose elements have arrived.
struct Arrival {
  const Routed& routed;
  Range places;           ///< of this rank
  std::int64_t part = 0;  ///< number of the part; the same on every rank
  bool is_first = true;   ///< false: elements of an earlier arrival, with the same `places`, come before these
  bool is_last = true;    ///< false: more elements with the same `places` follow
};

/// Sends elements to the ranks that have their places, and calls take(arrival). Two rounds of messages, for counts and
/// for places with elements, and one arrival, but if the buffers would take more than group.exchange_bytes: then the
/// places are divided into consecutive parts, one after the other, and if some rank would still have too many elements
/// for a part, ranks send theirs in turns. Collective; `take` may use all ranks, too.
///
/// With the counts ranks tell each other whether is_good(), called when all places are known, is true. Returns whether
/// that holds for all ranks; nothing if ranks have not told each other.
std::optional<bool> route(const RankGroup& group, const Routing& routing, const std::function<bool()>& is_good,
                          const std::function<void(const Arrival&)>& take);

/// The same by indices whose route is kept, or may become so: one round of messages, for the elements alone, if it is.
std::optional<bool> route(const RankGroup& group, const Routing& routing, const std::function<bool()>& is_good,
                          const std::function<void(const Arrival&)>& take, KeptRoutes* routes,
                          const KeptRoutes::Indices& indices);

/// The same for several vectors, each with an arrival for take(number of the routing, arrival), of which nothing is
/// told. Two rounds of messages for all of them if their buffers fit together, else those of each, one after the other.
void route(const RankGroup& group, std::span<const Routing> routings,
           const std::function<void(std::size_t, const Arrival&)>& take);

/// The element of this rank that is number `ordinal` of those that go to a place within a range.
std::int64_t find_routed(const Routing& routing, Range places, std::int64_t ordinal);
/// The places of a rank in a part of the places.
Range places_of_part(const RankGroup& group, const Routing& routing, int rank, std::int64_t part);
/// The number of parts in which elements are routed.
std::int64_t parts_of(const RankGroup& group, const Routing& routing);

}  // namespace cvl::mpi
