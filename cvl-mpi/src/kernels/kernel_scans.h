#pragma once

#include <span>
#include <vector>

#include "vcode/kernel.h"

namespace cvl::mpi {

/// The scans of a kernel that begin with a carry for each segment, an input: that of a segment which begins on an
/// earlier rank is the fold of its elements there. The grouping of a scan must not matter. Scans over segments of which
/// blocks are reduced by themselves have a descriptor of their own, another input.
///   before:  KERNEL 0 k (x INT s SEGDES) OVER s   y = +_SCAN INT x s   OUT y
///   after:   KERNEL 0 k (x INT s SEGDES c INT) OVER s   z = +_SCAN INT x s   d = DIST INT c s   y = + INT z d   OUT y
class LocalScans {
 public:
  struct Carry {
    vcode::KernelVar input;     ///< in kernel()
    vcode::KernelVar segments;  ///< the descriptor of the scan in kernel()
  };

  /// by_blocks: the descriptors of segments that are reduced in blocks.
  LocalScans(const vcode::Kernel& kernel, std::span<const vcode::KernelVar> by_blocks);

  const vcode::Kernel& kernel() const { return kernel_; }
  /// One for each scan, in their order.
  const std::vector<Carry>& carries() const { return carries_; }
  /// The number in kernel() of a value of the original kernel.
  std::size_t number(std::size_t value) const { return numbers_.empty() ? value : numbers_[value]; }
  /// The members of a call of the original kernel as those of a call of kernel().
  template <class T>
  std::vector<T> expand(std::span<const T> members) const {
    std::vector<T> all(kernel_.values.size());
    for (std::size_t v = 0; v < members.size(); ++v) all[number(v)] = members[v];
    return all;
  }

 private:
  vcode::Kernel kernel_;
  std::vector<Carry> carries_;
  std::vector<std::size_t> numbers_;  ///< empty if there are no scans
};

/// The kernel with a reduction of what each scan goes over, behind its other steps. reductions: their values.
vcode::Kernel with_reductions(const vcode::Kernel& kernel, std::vector<vcode::KernelVar>& reductions);

}  // namespace cvl::mpi
