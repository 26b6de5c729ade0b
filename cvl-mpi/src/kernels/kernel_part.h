#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vcode/kernel.h"

namespace cvl::mpi {

/// The steps of a kernel that some of its values need, as a kernel of its own. Values that are *given* are inputs of it
/// instead of results of steps.
///   whole:                        KERNEL 0 k (x INT i INT s SEGDES) OVER s   y = + INT x x   r = PERMUTE INT y i s OUT
///   r the part with the output y:   KERNEL 0 k (x INT i INT s SEGDES) OVER x   y = + INT x x   OUT y
class KernelPart {
 public:
  static constexpr std::size_t kNone = SIZE_MAX;

  /// `kept`: values whose steps are in the part, too, though they are no outputs.
  KernelPart(const vcode::Kernel& whole, std::span<const vcode::KernelVar> given,
             std::span<const vcode::KernelVar> outputs, std::span<const vcode::KernelVar> kept = {});

  /// Well-formed if is_good().
  const vcode::Kernel& kernel() const { return kernel_; }
  bool is_good() const { return is_good_; }
  /// The number of a value of the whole kernel: that of the whole kernel for its inputs, kNone if the part lacks it.
  std::size_t number(std::size_t value) const { return numbers_[value]; }
  /// Whether a value is an input of the part.
  bool is_input(std::size_t value) const { return number(value) < kernel_.input_count; }

  /// The members of a call of the whole kernel as those of a call of the part. What the whole kernel has no member for
  /// is a default one.
  template <class T>
  std::vector<T> members(std::span<const T> of_whole) const {
    std::vector<T> of_part(kernel_.values.size());
    for (std::size_t v = 0; v < of_whole.size(); ++v)
      if (number(v) != kNone) of_part[number(v)] = of_whole[v];
    return of_part;
  }

 private:
  vcode::Kernel kernel_;
  bool is_good_ = false;
  std::vector<std::size_t> numbers_;
};

}  // namespace cvl::mpi
