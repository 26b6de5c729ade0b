#pragma once

#include <functional>
#include <span>
#include <vector>

#include "operations/local_segments.h"
#include "vcode/kernel_rules.h"

namespace cvl::mpi {

/// A kernel whose operations INDEX and DIST read inputs of their own instead of inputs and constants that other steps
/// may read, too: so that a rank can give them other values for its part of the index space.
///   before:  KERNEL 0 k (x FLOAT s SEGDES) OVER s   zero = CONST INT 0  one = CONST INT 1  i = INDEX zero one s  …
///   after:   KERNEL 0 k (x FLOAT s SEGDES start INT stride INT) OVER s   …  i = INDEX start stride s  …
class SpreadInputs {
 public:
  /// The operations must read inputs and constants only.
  explicit SpreadInputs(const vcode::Kernel& kernel);

  const vcode::Kernel& kernel() const { return kernel_; }
  /// The number in kernel() of a value of the original kernel.
  std::size_t number(std::size_t value) const { return value < inputs_ ? value : value + added_.size(); }

  /// The members of a call of the original kernel as those of a call of kernel(); the added entries are default ones.
  template <class T>
  std::vector<T> expand(std::span<const T> members) const {
    std::vector<T> all(members.begin(), members.end());
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(inputs_), added_.size(), T());
    return all;
  }
  /// Sets the operands of the added inputs to the values of this rank's pieces; segments_of(v) divides the elements as
  /// the descriptor v of the original kernel does. Returns the memory of the values. At most one round of messages.
  /// Collective.
  std::vector<Scratch> set_for_pieces(const RankGroup& group,
                                      const std::function<const LocalSegments&(std::size_t descriptor)>& segments_of,
                                      std::span<const Operand> original, std::vector<Operand>& operands) const;

 private:
  struct Added {
    std::size_t value;               ///< of the original kernel
    std::size_t descriptor;          ///< of the segments of the elements, there
    std::size_t stride = kNoStride;  ///< of a start: the stride in the original kernel
  };
  static constexpr std::size_t kNoStride = SIZE_MAX;

  std::size_t inputs_;
  std::vector<Added> added_;
  vcode::Kernel kernel_;
};

}  // namespace cvl::mpi
