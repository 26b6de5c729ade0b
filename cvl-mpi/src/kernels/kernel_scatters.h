#pragma once

#include <functional>
#include <span>
#include <vector>

#include "operations/operation_context.h"
#include "vcode/kernel.h"

namespace cvl::mpi {

/// The scatters of a kernel apart from its other steps, so that each rank runs those on its part of the index space
/// before elements go to other ranks.
///   before:  KERNEL 0 k (x INT i INT s SEGDES) OVER s   y = + INT x x   r = PERMUTE INT y i s   OUT r
///   after:   KERNEL 0 k (x INT i INT s SEGDES) OVER x   y = + INT x x   OUT y        and r = PERMUTE INT y i s
class KernelScatters {
 public:
  explicit KernelScatters(const vcode::Kernel& kernel);

  bool empty() const { return scatters_.empty(); }
  /// The other steps. Not well-formed if there are none that compute elements.
  const vcode::Kernel& kernel() const { return kernel_; }
  /// The number in kernel() of a value of the original kernel that is no result of a scatter.
  std::size_t number(std::size_t value) const;
  /// The values of the original kernel that are results of kernel() because scatters read them.
  const std::vector<std::size_t>& computed() const { return computed_; }
  /// Whether all results of scatters are results of the original kernel.
  bool are_all_used() const;

  /// The members of a call of the original kernel as those of a call of kernel().
  template <class T>
  std::vector<T> without_results(std::span<const T> members) const {
    std::vector<T> others(members.begin(), members.end());
    for (auto of = scatters_.rbegin(); of != scatters_.rend(); ++of)
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(of->results[0]));
    return others;
  }
  /// Runs the scatters of a call of the original kernel, with vector(v) for value v. Collective.
  Scattered run(OperationContext& context, const KernelCall& call,
                const std::function<Operand(std::size_t value)>& vector) const;

 private:
  std::vector<vcode::Kernel::Step> scatters_;  ///< with the numbers of the original kernel
  std::vector<std::size_t> computed_;
  std::vector<vcode::KernelVar> outputs_;  ///< of the original kernel
  vcode::Kernel kernel_;
};

}  // namespace cvl::mpi
