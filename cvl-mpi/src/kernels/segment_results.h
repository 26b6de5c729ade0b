#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "exchange/range_exchange.h"
#include "operations/operation_context.h"
#include "vcode/op.h"

namespace cvl::mpi {

/// Results of a kernel with a value for each segment, of which a rank computes those of the segments that it touches:
/// reductions, and lengths of PACKs, which are sums. The value of a segment that continues on later ranks is carried to
/// the rank with its last element.
class SegmentResults {
 public:
  explicit SegmentResults(const RankGroup& group) : group_(group) {}

  /// Room for the values of the segments that this rank touches, instead of the whole result. They are those of no
  /// elements until a kernel fills them. Grouping must not matter to the monoid.
  Result add(Monoid monoid, const Result& whole, std::shared_ptr<SegmentCut> cut);
  std::size_t count() const { return all_.size(); }
  /// Appends the carries of this rank, 8 bytes each.
  void append_carries(std::vector<std::int64_t>& to) const;
  /// Adds the carries of earlier ranks; carries(r)[k] is that of value k on rank r.
  template <class F>
  void add_carries(F&& carries) {
    for (std::size_t k = 0; k < all_.size(); ++k)
      for (int r = 0; r < group_.rank(); ++r) add_carry(all_[k], r, carries(r)[k]);
  }
  /// The values of the segments that ranks finish, which go to the division of the results.
  void append_deliveries(std::vector<Delivery>& to) const;

 private:
  struct OfSegments {
    Monoid monoid;
    Result whole, touched;
    std::shared_ptr<SegmentCut> cut;
    Scratch memory;
  };
  void add_carry(OfSegments& values, int rank, std::int64_t carry);

  const RankGroup& group_;
  std::vector<OfSegments> all_;
};

}  // namespace cvl::mpi
