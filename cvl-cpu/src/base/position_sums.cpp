#include "base/position_sums.h"

#include "tuning/chunk_tuning.h"

namespace cvl::cpu {

std::uint64_t PositionSums::below(std::int64_t n, Sum& sum) {
  for (std::int64_t known; (known = std::int64_t(sums_.size()) - 1) < n / kPositionSumStep;)
    sums_.push_back(sums_.back() + sum(known * kPositionSumStep, (known + 1) * kPositionSumStep));
  return sums_[static_cast<std::size_t>(n / kPositionSumStep)] + sum(n / kPositionSumStep * kPositionSumStep, n);
}

}  // namespace cvl::cpu
