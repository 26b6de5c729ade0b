#pragma once

#include <vector>

#include "operations/operation_context.h"

namespace cvl::mpi {

/// Places to which the indices of a segmented vector lead, in another vector with as many segments.
class IndexPlaces {
 public:
  static constexpr std::int64_t kNone = -1;

  /// The places for this rank's elements of `indices`; kNone where a flag is false, and after a report of kIndexRange
  /// where an index lies outside of its segment of `to`. At most one round of messages, for offsets.
  IndexPlaces(OperationContext& context, const SegmentCut& cut, const SegmentDescriptor& to, const Operand& indices,
              const Operand* flags);

  const std::vector<std::int64_t>& places() const { return places_; }

 private:
  std::vector<std::int64_t> places_;
};

}  // namespace cvl::mpi
