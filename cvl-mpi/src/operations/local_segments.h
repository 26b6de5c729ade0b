#pragma once

#include <cstdint>
#include <memory>

#include "exchange/segment_cut.h"

namespace cvl::mpi {

/// The segments into which a descriptor divides the elements that a rank computes of a kernel: *pieces* of the segments
/// that it touches. Where the order of a fold matters, each block of fold_order.h is a piece, of a segment that goes
/// over several ranks: the blocks that a rank folds are those which end on it.
class LocalSegments {
 public:
  /// `cut` divides the elements. `elements`: those that this rank computes, within its part, or from the beginning of a
  /// block before it on.
  LocalSegments(const RankGroup& group, std::shared_ptr<SegmentCut> cut, Range elements, bool by_blocks);
  LocalSegments(const LocalSegments&) = delete;

  SegmentCut& cut() const { return *cut_; }
  const std::shared_ptr<SegmentCut>& shared_cut() const { return cut_; }
  bool by_blocks() const { return by_blocks_; }
  const SegmentDescriptor& descriptor() const { return descriptor_; }
  std::int64_t count() const { return descriptor_.segments; }
  /// The number of pieces of the first segment if that begins before the elements, else 0.
  std::int64_t of_head() const { return of_head_; }
  /// Whether the last pieces are those of another segment than the first ones, which continues behind the elements.
  bool has_tail_pieces() const { return of_tail_ > 0; }
  /// The first of these pieces.
  std::int64_t first_of_tail() const { return count() - of_tail_; }
  /// Whether the pieces are the touched segments, each with its first element or those of earlier ranks before it.
  bool are_whole() const { return of_head_ <= 1 && of_tail_ <= 1; }

  /// Calls f(piece, segment, before): the number of the segment among the touched ones, and its elements before the
  /// piece.
  template <class F>
  void for_each(F&& f) const {
    for (std::int64_t piece = 0; piece < count(); ++piece) {
      std::int64_t segment = segments_.begin, begin = elements_.begin + piece * kFoldBlock;
      if (piece >= of_head_) {
        const std::int64_t middle = segments_.begin + (of_head_ > 0 ? 1 : 0) + (piece - of_head_);
        const bool is_tail = of_tail_ > 0 && piece >= first_of_tail();
        segment = is_tail ? segments_.end - 1 : middle;
        begin = cut_->start(segment) + (is_tail ? (piece - first_of_tail()) * kFoldBlock : 0);
      }
      f(piece, segment - cut_->touched().begin, begin - cut_->start(segment));
    }
  }

 private:
  const std::shared_ptr<SegmentCut> cut_;
  const Range elements_;
  const Range segments_;  ///< with some of the elements
  const bool by_blocks_;
  std::int64_t of_head_ = 0, of_tail_ = 0;
  Scratch offsets_;
  SegmentDescriptor descriptor_;
};

/// The number of pieces whose folds a rank gives to later ones, of its segment that continues there.
std::int64_t given_pieces(const SegmentCut& cut, bool by_blocks, int rank);

}  // namespace cvl::mpi
