#pragma once

#include <functional>
#include <optional>
#include <span>

#include "exchange/rank_group.h"

namespace cvl::mpi {

/// Writes a position for each of some elements; negative if there is none.
using WritePositions = std::function<void(Range elements, std::int64_t* positions)>;

/// A gather: element e of `to`, of those in `elements`, is that at its position in `source`, or 0 if it has none.
struct ElementGather {
  Operand source;
  Range elements;         ///< of this rank
  std::int64_t most = 0;  ///< elements of the rank with the most
  WritePositions write_positions;
  void* to = nullptr;
};

/// Gathers elements of a vector. Each rank gives its own elements, and gets each element of other ranks once: three
/// rounds of messages, for how many bytes, positions to the owners, and elements back; more if the buffers would take
/// more than group.exchange_bytes. One round brings all elements to each rank if ranks read a vector several times. No
/// messages if every rank has all of the source.
///
/// With the numbers of bytes ranks tell each other whether is_good(), called when all positions are written, is true.
/// Returns whether that holds for all ranks; nothing if ranks have not told each other. Collective.
std::optional<bool> gather_elements(const RankGroup& group, const ElementGather& gather,
                                    const std::function<bool()>& is_good);

/// The same for several vectors, in the rounds of one of them. The buffers of all must fit: see gathers_fit().
std::optional<bool> gather_elements(const RankGroup& group, std::span<const ElementGather> gathers,
                                    const std::function<bool()>& is_good);
/// Whether the buffers of several gathers take at most group.exchange_bytes. The same on every rank.
bool gathers_fit(const RankGroup& group, std::span<const ElementGather> gathers);

/// A gather of elements that are the same on all ranks. One round of messages brings them to all. The source becomes
/// whole when such rounds have cost as much as all its elements. Collective.
void gather_same(const RankGroup& group, const ElementGather& gather);

}  // namespace cvl::mpi
