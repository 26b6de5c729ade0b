#pragma once

#include <span>

#include "exchange/position_set.h"
#include "exchange/rank_group.h"

namespace cvl::mpi {

// Exchanges of single elements, in bulk.

/// Copies elements of a vector of which each rank wants some into working memory, ascending by position. Two rounds of
/// messages: positions to the owners, elements back. With `same_everywhere`, every rank wants the same ones, and one
/// round is enough. None if the vector is not divided.
Scratch fetch_elements(const RankGroup& group, const Operand& vector, const PositionSet& positions, bool same_everywhere);

/// Elements on their way to places in a vector, in the order of the elements that they come from.
struct Routed {
  std::vector<std::int64_t> places;    ///< place of each element, counted from the first one of this rank
  std::vector<std::int64_t> from_rank; ///< number of elements from each rank; they follow one another
  Scratch values;

  std::int64_t size() const { return static_cast<std::int64_t>(places.size()); }
};

/// Sends the elements of `values` to the ranks that have their places: element e goes to places[e] of a vector that is
/// divided as `targets` says; elements with a negative place are dropped. Two rounds of messages.
Routed route(const RankGroup& group, const Operand& values, std::span<const std::int64_t> places, const Ranges& targets);

/// The same without messages, for elements that are on every rank: each rank keeps those with places of its own.
Routed keep_own(const RankGroup& group, const Operand& values, std::span<const std::int64_t> places, const Ranges& targets);

}  // namespace cvl::mpi
