#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exchange/range_exchange.h"
#include "operations/local_segments.h"
#include "operations/operation_context.h"
#include "vcode/op.h"

namespace cvl::mpi {

/// Results of an operation or a kernel with a value for each segment: reductions, and lengths of PACKs, which are sums.
/// A rank computes the values of its pieces. Those of a segment that continues on later ranks go to the rank with its
/// last element, and if there is a single segment to all ranks.
class SegmentResults {
 public:
  explicit SegmentResults(const RankGroup& group) : group_(group) {}

  /// Room for the values of pieces, instead of the whole result. They are those of no elements until they are filled.
  /// The segments must outlive this object.
  Result add(Monoid monoid, const Result& whole, const LocalSegments& segments);
  /// The number of values that a rank gives to others.
  std::size_t count_given(int rank) const;
  /// Appends the values of this rank that others need, 8 bytes each.
  void append_given(std::vector<std::int64_t>& to) const;
  /// Exchanges and combines these values. One round of messages, none if there are none. Collective.
  void exchange();
  /// Combines the values given by all ranks; given[r] are those of rank r.
  void take_given(std::span<const std::int64_t* const> given);
  /// The values of the segments that ranks finish, which go to the division of the results.
  void append_deliveries(std::vector<Delivery>& to) const;

 private:
  struct OfSegments {
    Monoid monoid;
    Result whole, pieces;
    const LocalSegments* segments;
    Scratch memory;

    bool is_single() const { return segments->cut().descriptor().is_single(); }
    /// The values of the segments that this rank finishes, the first of which may have several pieces.
    const void* finished() const;
  };

  const RankGroup& group_;
  std::vector<OfSegments> all_;
};

}  // namespace cvl::mpi
