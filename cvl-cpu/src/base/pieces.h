#pragma once

#include <cstdint>

#include "base/check.h"
#include "cvl/backend.h"

namespace cvl::cpu {

/// A share of a segmented vector. Think of each segment as its elements followed by an end mark; a piece
/// is a run of consecutive elements and marks. Segments [segment_begin, segment_end) end in the piece; the
/// first of them may have begun in an earlier one, and segment `segment_end` (if there is one) may have
/// elements here and end later.
struct Piece {
  std::int64_t element_begin, element_end;
  std::int64_t segment_begin, segment_end;
};

/// What cuts within a segment are multiples of.
struct Grain {
  std::int64_t elements = 1;
  bool of_segment = false;  ///< counted from where the segment begins, not from the first element of all
};

/// Cuts a segmentation into pieces of equal elements + segments, so that any shape is shared out evenly
/// (the merge-path partition: Merrill and Garland, "Merge-based parallel sparse matrix-vector
/// multiplication", SC 2016). The begin of a piece is found by binary search in all offsets, its end by a galloping
/// search from there.
class Partition {
 public:
  /// `size` is the number of elements plus end marks of a piece. Cuts within a segment move back to a multiple of
  /// the grain where the segment has one: such pieces differ from `size` by less than a grain.
  Partition(const SegmentMap& map, std::int64_t size, Grain grain = {}) : map_(map), size_(size), grain_(grain) {
    VC_CHECK(size > 0 && grain.elements > 0);
    VC_CHECK(map.is_regular() ? map.segments * map.regular_length == map.elements : map.offsets != nullptr);
  }

  std::int64_t pieces() const { return (map_.elements + map_.segments + size_ - 1) / size_; }
  Piece piece(std::int64_t p) const;

 private:
  struct Cut {
    std::int64_t element, segment;
  };
  /// The cut at `position` in the sequence of elements and end marks. At least `low` marks are before it; the search
  /// begins at `expected`.
  Cut cut(std::int64_t position, std::int64_t low, std::int64_t expected) const;

  SegmentMap map_;
  std::int64_t size_;
  Grain grain_;
};

/// Segments of `map` among [low, high) that have ended when element e begins.
std::int64_t ended_before(const SegmentMap& map, std::int64_t e, std::int64_t low, std::int64_t high);

/// The same; the search begins at `expected`, which should be near the result.
std::int64_t ended_near(const SegmentMap& map, std::int64_t e, std::int64_t low, std::int64_t high,
                        std::int64_t expected);

}  // namespace cvl::cpu
