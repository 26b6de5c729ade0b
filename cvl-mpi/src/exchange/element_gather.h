#pragma once

#include <functional>

#include "exchange/rank_group.h"

namespace cvl::mpi {

/// Writes a position for each of some elements; negative if there is none.
using WritePositions = std::function<void(Range elements, std::int64_t* positions)>;

/// Gathers elements of a vector: element e of `to`, of those in `elements`, is that at its position in `source`, or 0
/// if it has none. Each rank gives its own elements, and gets each element of other ranks once: three rounds of
/// messages, for how many bytes, positions to the owners, and elements back; more if the buffers would take more than
/// group.exchange_bytes. One round brings all elements to each rank if ranks read a vector several times, or if with
/// `same_everywhere` the elements are the same on all ranks. No messages if `source` is not divided. `most`: elements
/// of the rank with the most. Collective.
void gather_elements(const RankGroup& group, const Operand& source, Range elements, std::int64_t most,
                     const WritePositions& write_positions, bool same_everywhere, void* to);

}  // namespace cvl::mpi
