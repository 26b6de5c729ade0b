#pragma once

#include <span>
#include <vector>

#include "operations/operation_context.h"
#include "vcode/kernel.h"

namespace cvl::mpi {

/// The SLICEs of a kernel, whose results are inputs of its other steps: a rank fetches the elements for its part of the
/// index space before.
class KernelSlices {
 public:
  explicit KernelSlices(const vcode::Kernel& kernel);

  bool empty() const { return slices_.empty(); }
  const std::vector<vcode::Kernel::Step>& steps() const { return slices_; }
  std::vector<vcode::KernelVar> results() const;
  /// Whether ranks need not tell each other which elements they need: every rank has the sources of SLICEs, or segments
  /// are few and on every rank.
  bool are_known(const RankGroup& group, const KernelCall& call) const;
  struct Fetched {
    std::vector<Scratch> memory;  ///< of the elements of this rank, for each SLICE
    bool is_good = true;          ///< false: elements do not exist, as this rank knows
  };
  /// Fetches the elements of a call for those elements[r] of the index space on each rank r. At most one round of
  /// messages for starts of segments, and one for elements. Collective.
  Fetched fetch_for(const RankGroup& group, SegmentCuts& cuts, const KernelCall& call, const Ranges& elements) const;

 private:
  /// SLICEs of divided vectors with more segments are computed by themselves.
  static constexpr std::int64_t kMostSegments = 64;

  std::vector<vcode::Kernel::Step> slices_;
};

}  // namespace cvl::mpi
