#pragma once

#include <span>
#include <vector>

#include "operations/operation_context.h"
#include "vcode/kernel.h"

namespace cvl::mpi {

/// The SLICEs of a kernel apart from its other steps, which read their results as inputs: a rank fetches the elements
/// for its part of the index space before.
///   before:  KERNEL 0 k (x INT b INT s SEGDES) OVER s   y = SLICE INT x b s   z = + INT y y   OUT z
///   after:   KERNEL 0 k (x INT b INT s SEGDES y INT) OVER y   z = + INT y y   OUT z
class KernelSlices {
 public:
  explicit KernelSlices(const vcode::Kernel& kernel);

  bool empty() const { return slices_.empty(); }
  /// The other steps.
  const vcode::Kernel& kernel() const { return kernel_; }
  /// The number in kernel() of a value of the original kernel.
  std::size_t number(std::size_t value) const;

  /// The members of a call of the original kernel as those of a call of kernel(); the added inputs have default ones.
  template <class T>
  std::vector<T> with_inputs(std::span<const T> members) const {
    std::vector<T> all(members.size());
    for (std::size_t v = 0; v < members.size(); ++v) all[number(v)] = members[v];
    return all;
  }
  /// Whether ranks need not tell each other which elements they need: sources of SLICEs are on every rank, or segments
  /// are few and on every rank.
  bool are_known(const RankGroup& group, const KernelCall& call) const;
  /// Elements for the part of a rank.
  struct Fetched {
    std::vector<Scratch> memory;  ///< of the elements
    bool is_good = true;          ///< false: elements do not exist, as this rank knows
  };
  /// Fetches the elements of the SLICEs of a call of the original kernel, with its constants among the operands, and
  /// sets the added inputs of a call of kernel(), each of which is the part of this rank. At most one round of messages
  /// for starts of segments, and one for elements. Collective.
  Fetched fetch_for_part(const RankGroup& group, SegmentCuts& cuts, const KernelCall& call,
                         std::vector<Operand>& operands) const;

 private:
  /// SLICEs of divided vectors with more segments are computed by themselves.
  static constexpr std::int64_t kMostSegments = 64;

  std::size_t inputs_;
  std::vector<vcode::Kernel::Step> slices_;  ///< with the numbers of the original kernel
  vcode::Kernel kernel_;
};

}  // namespace cvl::mpi
