#pragma once

#include <cstdint>

#include "base/check.h"
#include "cvl/backend.h"

namespace cvl::cpu {

/// A chunk of a segmented vector. A segmentation is regarded as a sequence: the elements of each segment, followed by
/// an end mark; a chunk is a run of consecutive elements and marks. Segments [segment_begin, segment_end) end in the
/// chunk; the first of them may begin in an earlier chunk. Segment `segment_end`, if there is one, may have elements in
/// this chunk and end in a later one.
struct Chunk {
  std::int64_t element_begin, element_end;
  std::int64_t segment_begin, segment_end;
};

/// Granularity of chunk boundaries within a segment: they are multiples of `elements`.
struct Grain {
  std::int64_t elements = 1;
  bool of_segment = false;  ///< whether elements are counted from the start of the segment, or from the first element
                            ///< of the vector
};

/// Divides a segmentation into chunks of equally many items (elements plus end marks), so that the work is balanced for
/// any lengths of segments (the merge-path partition: Merrill and Garland, "Merge-based parallel sparse matrix-vector
/// multiplication", SC 2016). The begin of a chunk is found by binary search in all offsets, its end by a galloping
/// search from there.
class Partition {
 public:
  /// `size` is the number of items (elements plus end marks) of a chunk. Boundaries within a segment move down to a
  /// multiple of the grain, if the segment has one there: such chunks differ from `size` by less than a grain.
  Partition(const SegmentDescriptor& descriptor, std::int64_t size, Grain grain = {})
      : descriptor_(descriptor), size_(size), grain_(grain) {
    VC_CHECK(size > 0 && grain.elements > 0);
    VC_CHECK(descriptor.is_regular() ? descriptor.segments * descriptor.regular_length == descriptor.elements
                                     : descriptor.offsets != nullptr);
  }

  std::int64_t chunks() const { return (descriptor_.elements + descriptor_.segments + size_ - 1) / size_; }
  Chunk chunk(std::int64_t p) const;

 private:
  struct Boundary {
    std::int64_t element, segment;
  };
  /// Boundary at `position` in the sequence of elements and end marks. At least `low` marks are before it; the search
  /// begins at `expected`.
  Boundary boundary(std::int64_t position, std::int64_t low, std::int64_t expected) const;

  SegmentDescriptor descriptor_;
  std::int64_t size_;
  Grain grain_;
};

/// Number of the first segment in [low, high) that ends after element e, or high: segments before it have ended when
/// element e begins.
std::int64_t ended_before(const SegmentDescriptor& descriptor, std::int64_t e, std::int64_t low, std::int64_t high);

/// Gives the same result as ended_before(), by a search that begins at `expected`, which should be near the result.
std::int64_t ended_near(const SegmentDescriptor& descriptor, std::int64_t e, std::int64_t low, std::int64_t high,
                        std::int64_t expected);

}  // namespace cvl::cpu
