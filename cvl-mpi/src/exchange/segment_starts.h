#pragma once

#include "exchange/range_exchange.h"

namespace cvl::mpi {

/// The starts of consecutive segments of a descriptor.
class SegmentStarts {
 public:
  /// Those of the segments ranges[r] on each rank r, which exchange offsets if the descriptor's are divided.
  SegmentStarts(const RankGroup& group, const SegmentDescriptor& descriptor, const Ranges& ranges);

  /// First element of a segment of this rank's range; also for the number behind the last one.
  std::int64_t operator()(std::int64_t segment) const {
    return regular_length_ >= 0 ? segment * regular_length_ : offsets()[segment - first_];
  }
  std::int64_t length(std::int64_t segment) const { return (*this)(segment + 1) - (*this)(segment); }

 private:
  const std::int64_t* offsets() const { return static_cast<const std::int64_t*>(fetched_.elements.data); }

  std::int64_t regular_length_;
  std::int64_t first_;
  Fetched fetched_;
};

/// The offsets of an irregular descriptor as a vector.
inline Operand offsets_of(const SegmentDescriptor& descriptor) {
  return {ElemType::kI64, descriptor.segments + 1, descriptor.offsets};
}

/// Whether every rank has the starts of all segments of a descriptor.
inline bool has_all_starts(const RankGroup& group, const SegmentDescriptor& descriptor) {
  return descriptor.is_regular() || group.has_all(offsets_of(descriptor));
}

}  // namespace cvl::mpi
