#pragma once

#include <optional>

#include "operations/operation_context.h"
#include "vcode/grouping.h"

namespace cvl::mpi {

// Folds of segments that continue on several ranks. Each rank gives the folds of its last segment to the others: one
// fold, or, where the result depends on the grouping, one for each block of fold_order.h that ends on the rank. These
// are combined from left to right, as fold_order.h says, so that the bits do not depend on the number of ranks.

/// The elements from which a rank folds its part: blocks of fold_order.h are folded whole, by the rank with their last
/// element.
Range folded_elements(const SegmentCut& cut, bool rounds, int rank);

/// The elements of a rank's last segment whose folds it gives to later ranks; empty if that segment ends there.
Range given_elements(const SegmentCut& cut, bool rounds, int rank);
/// The number of folds of such elements.
inline std::int64_t folds_of(Range given, bool rounds) {
  return rounds ? given.size() / kFoldBlock : given.empty() ? 0 : 1;
}

/// Writes, before the first element that a rank folds, elements whose fold is that of its first segment's elements on
/// earlier ranks. Returns the number of these elements: 0 if there is nothing to carry in. The operand is divided; its
/// memory outside of the rank's part is used. One round of messages, none if no segment continues on another rank.
std::int64_t write_carry(OperationContext& context, const SegmentCut& cut, Monoid monoid, const Operand& a);

}  // namespace cvl::mpi
