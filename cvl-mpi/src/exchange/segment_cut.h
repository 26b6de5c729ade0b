#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "cvl/fold_order.h"
#include "exchange/segment_starts.h"

namespace cvl::mpi {

/// The division of a segmented vector's elements among ranks, and its segments on each rank. A segment is *finished* by
/// the rank with its last element; a rank *touches* the segments that it finishes and the one that continues on later
/// ranks. If neither elements nor offsets are divided, every rank has the whole descriptor.
class SegmentCut {
 public:
  SegmentCut(const RankGroup& group, const SegmentDescriptor& descriptor);

  const SegmentDescriptor& descriptor() const { return descriptor_; }
  bool is_whole() const { return is_whole_; }

  // Of any rank.

  Range elements(int rank) const;
  /// The segments that a rank finishes: consecutive ranges over all ranks.
  Range finished(int rank) const;
  Range touched(int rank) const;
  /// Whether the rank's first element lies inside a segment that begins on an earlier rank.
  bool is_continued(int rank) const { return !is_whole_ && start_[at(rank)] < bounds_[at(rank)]; }
  /// Whether the rank's last segment continues on later ranks.
  bool has_tail(int rank) const {
    return !is_whole_ && start_[at(rank) + 1] < bounds_[at(rank) + 1] && bounds_[at(rank)] < bounds_[at(rank) + 1];
  }
  /// The first element of the segment that contains the first element of a rank, or that begins with it; of rank
  /// ranks(), the number of elements.
  std::int64_t start_of_first(int rank) const { return start_[at(rank)]; }
  /// The number of that segment.
  std::int64_t first_segment(int rank) const { return first_[at(rank)]; }
  /// The first element of the block of fold_order.h with the first element of a rank.
  std::int64_t fold_begin(int rank) const;
  /// Whether a segment has elements on several ranks.
  bool any_continued() const;

  Ranges all_elements() const { return of_all(&SegmentCut::elements); }
  Ranges all_finished() const { return of_all(&SegmentCut::finished); }
  Ranges all_touched() const { return of_all(&SegmentCut::touched); }

  // Of this rank.

  Range elements() const { return elements(group_.rank()); }
  Range touched() const { return touched(group_.rank()); }
  Range finished() const { return finished(group_.rank()); }
  /// First element of a segment that this rank touches; also for the number behind the last one.
  std::int64_t start(std::int64_t segment) const { return (*starts_)(segment); }
  /// The segments that contain some of this rank's elements; all that it touches if these are all its elements.
  Range segments_of(Range elements) const;
  /// The elements of a segment within a range.
  Range clipped(std::int64_t segment, Range within) const {
    return intersection({start(segment), start(segment + 1)}, within);
  }
  /// A descriptor of `elements`, numbered from the first of them, as divided into `segments`, which this rank touches.
  /// Kept for the next operation.
  const SegmentDescriptor& local(Range elements, Range segments);

 private:
  struct Local {
    Range elements, segments;
    Scratch offsets;
    SegmentDescriptor descriptor;
  };

  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }
  Ranges of_all(Range (SegmentCut::*of_rank)(int) const) const;
  void cut_by_segments();
  void cut_by_elements();

  const RankGroup& group_;
  SegmentDescriptor descriptor_;
  bool is_whole_ = false;
  /// For each rank and behind the last one: the first element; the first segment that is not finished by ranks before;
  /// the start of that segment.
  std::vector<std::int64_t> bounds_, first_, start_;
  std::optional<SegmentStarts> starts_;
  std::deque<Local> locals_;
};

/// The cuts of the descriptors that were used last.
class SegmentCuts {
 public:
  explicit SegmentCuts(const RankGroup& group) : group_(group) {}

  /// Valid until the next call, or longer if the caller keeps the pointer.
  std::shared_ptr<SegmentCut> of(const SegmentDescriptor& descriptor);
  /// Forgets the descriptors whose offsets lie in these bytes, which change or are freed.
  void remove(const void* data, std::size_t bytes);

 private:
  static constexpr std::size_t kMost = 16;
  const RankGroup& group_;
  std::deque<std::shared_ptr<SegmentCut>> cuts_;  ///< the last used one first
};

}  // namespace cvl::mpi
