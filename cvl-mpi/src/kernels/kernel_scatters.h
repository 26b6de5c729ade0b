#pragma once

#include <functional>
#include <span>
#include <vector>

#include "operations/operation_context.h"
#include "vcode/kernel.h"

namespace cvl::mpi {

/// The scatters of a kernel, which run after its other steps: each rank computes the elements of its part of the index
/// space before these go to other ranks.
class KernelScatters {
 public:
  explicit KernelScatters(const vcode::Kernel& kernel);

  bool empty() const { return scatters_.empty(); }
  const std::vector<vcode::Kernel::Step>& steps() const { return scatters_; }
  /// The values that scatters read and other steps compute, but for outputs of the kernel.
  const std::vector<vcode::KernelVar>& computed() const { return computed_; }
  /// The outputs of the kernel that are no results of scatters.
  const std::vector<vcode::KernelVar>& other_outputs() const { return other_outputs_; }
  /// Whether all results of scatters are results of the kernel.
  bool are_all_used() const;

  /// Runs the scatters of a call, with vector(v) for value v. Collective.
  Scattered run(OperationContext& context, const KernelCall& call,
                const std::function<Operand(std::size_t value)>& vector) const;

 private:
  std::vector<vcode::Kernel::Step> scatters_;
  std::vector<vcode::KernelVar> outputs_, other_outputs_, computed_;
};

}  // namespace cvl::mpi
