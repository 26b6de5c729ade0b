#include "exchange/segment_starts.h"

namespace cvl::mpi {

SegmentStarts::SegmentStarts(const RankGroup& group, const SegmentDescriptor& descriptor, const Ranges& ranges)
    : regular_length_(descriptor.regular_length), first_(ranges[static_cast<std::size_t>(group.rank())].begin) {
  if (descriptor.is_regular()) return;
  Ranges wants = ranges;
  for (Range& range : wants)
    if (!range.empty()) ++range.end;
  fetched_ = fetch(group, offsets_of(descriptor), wants);
  group.before_reading(fetched_.elements);
}

}  // namespace cvl::mpi
