#pragma once

#include <functional>

#include "operations/operation_context.h"

namespace cvl::mpi {

/// Places to which the indices of a segmented vector lead, in another vector with as many segments.
class IndexPlaces {
 public:
  static constexpr std::int64_t kNone = -1;

  /// At most one round of messages, for offsets. The context, the cut and the vectors must outlive this object.
  IndexPlaces(OperationContext& context, const SegmentCut& cut, const SegmentDescriptor& to, const Operand& indices,
              const Operand* flags);

  /// Writes the places for some of this rank's elements: kNone where a flag is false, and after a report of kIndexRange
  /// where an index lies outside of its segment of `to`.
  void write(Range elements, std::int64_t* places) const;

 private:
  OperationContext& context_;
  const SegmentCut& cut_;
  const Operand indices_;
  const bool* const flags_;
  const SegmentStarts starts_;
};

}  // namespace cvl::mpi
