#include "base/place_sums.h"

#include "tuning/piece_tuning.h"

namespace cvl::cpu {

std::uint64_t PlaceSums::below(std::int64_t n, Sum& sum) {
  for (std::int64_t known; (known = std::int64_t(sums_.size()) - 1) < n / kPlaceSumStep;)
    sums_.push_back(sums_.back() + sum(known * kPlaceSumStep, (known + 1) * kPlaceSumStep));
  return sums_[static_cast<std::size_t>(n / kPlaceSumStep)] + sum(n / kPlaceSumStep * kPlaceSumStep, n);
}

}  // namespace cvl::cpu
