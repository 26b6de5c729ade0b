#pragma once

#include <span>

#include "exchange/position_set.h"
#include "exchange/rank_group.h"

namespace cvl::mpi {

// Exchanges of single elements, in bulk.

/// Exchanges elements of `size` bytes: sent[r] of those at `from` go to rank r, and received[r] come from it, to `to`.
/// Elements for, and from, the ranks follow one another. One round of messages.
void exchange_parts(const RankGroup& group, std::size_t size, const std::vector<std::int64_t>& sent, const void* from,
                    const std::vector<std::int64_t>& received, void* to);

/// Copies elements of a vector of which each rank wants some into working memory, ascending by position. Three rounds
/// of messages: how many bytes, positions to the owners, elements back. With `same_everywhere`, every rank wants the
/// same ones, and one round is enough. None if the vector is not divided.
Scratch fetch_elements(const RankGroup& group, const Operand& vector, const PositionSet& positions,
                       bool same_everywhere);

/// Elements that have come to the rank of their places in a vector, in the order of the elements that they come from.
struct Routed {
  /// Room for elements with places on a rank of `targets`.
  Routed(const RankGroup& group, ElemType type, std::vector<std::int64_t> counts, const Ranges& targets);

  std::vector<std::int64_t> from_rank;  ///< number of elements from each rank; they follow one another
  std::int64_t size;
  Scratch memory_of_places, memory_of_values;
  Operand places;  ///< of each element, counted from the first one of this rank; INTs of 32 bits if these suffice
  Operand values;
};

/// Sends the elements of `values` to the ranks that have their places: element e goes to places[e] of a vector that is
/// divided as `targets` says; elements with a negative place are dropped. Three rounds of messages.
Routed route(const RankGroup& group, const Operand& values, std::span<const std::int64_t> places,
             const Ranges& targets);

/// The same without messages, for elements that are on every rank: each rank keeps those with places of its own.
Routed keep_own(const RankGroup& group, const Operand& values, std::span<const std::int64_t> places,
                const Ranges& targets);

}  // namespace cvl::mpi
