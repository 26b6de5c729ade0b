#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "operations/operation_context.h"
#include "vcode/kernel.h"

namespace cvl::mpi {

/// The gathers of a kernel by levels: the indices of those in a level depend on gathers of lower levels only, so that
/// one exchange brings the elements of all of them.
///   y = BPERMUTE INT x i s t   z = BPERMUTE INT u i s t   w = BPERMUTE INT x y s t      y, z of level 0, w of level 1
class KernelGathers {
 public:
  explicit KernelGathers(const vcode::Kernel& kernel);

  bool empty() const { return levels_.empty(); }
  std::size_t levels() const { return levels_.size(); }
  const std::vector<vcode::Kernel::Step>& of_level(std::size_t level) const { return levels_[level]; }
  /// The results of the gathers of the first levels.
  std::vector<vcode::KernelVar> results_of(std::size_t levels) const;
  /// The indices and flags of the gathers of a level that other steps compute.
  std::vector<vcode::KernelVar> computed_for(std::size_t level) const;

  /// Whether the buffers of the exchanges of a call fit. most: elements of the rank with the most.
  bool fit(const RankGroup& group, const KernelCall& call, std::int64_t most) const;
  struct Gathered {
    std::vector<Scratch> memory;   ///< of the elements, for each gather of the level
    std::optional<bool> all_good;  ///< see gather_elements()
  };
  /// Gathers the elements of a level for those elements[r] of the index space on each rank r. vector(v): indices or
  /// flags, numbered as the index space. Faults are reported to the context. is_good false: this rank gathers nothing.
  /// Collective.
  Gathered gather(OperationContext& context, const KernelCall& call, std::size_t level, const Ranges& elements,
                  const std::function<Operand(std::size_t value)>& vector, bool is_good) const;

 private:
  std::vector<std::vector<vcode::Kernel::Step>> levels_;
  std::vector<bool> is_computed_;  ///< of each value: whether a step computes it
};

}  // namespace cvl::mpi
