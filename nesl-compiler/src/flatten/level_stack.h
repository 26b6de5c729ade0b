#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"
#include "emitter.h"

namespace nesl {

/// One index space around the code being compiled, inside the one before: the elements of an apply-to-each,
/// or the instances that take a branch of a conditional.
struct Level {
  Var link = letform::kNoVar;    ///< descriptor: how many instances of this level each instance below has (1)
  Var flags = letform::kNoVar;   ///< instead of a link: which instances of the level below are here, each once
  Var within = letform::kNoVar;  ///< with flags: the descriptor over the level below that PACK uses
  Var mixed = letform::kNoVar;   ///< with flags: scalar BOOL; if false, all instances of the level below are here
  Var sample = letform::kNoVar;  ///< a vector or descriptor with one entry per instance, if there is one
  Var single = letform::kNoVar;  ///< the descriptor of one segment with all instances, if known
  bool maybe_empty = true;       ///< false if the code runs only when there is an instance
  std::uint64_t id = 0;          ///< distinct
};
// (1) Of a function's own levels, which come as parameters, the first one's link has one segment.

/// The levels around the code being compiled, the outermost first.
class LevelStack {
 public:
  std::size_t size() const { return size_; }
  Level& operator[](std::size_t k) {
    VC_CHECK(k < size_);
    return levels_[k];
  }
  Level& back() { return (*this)[size_ - 1]; }

  void push(Level level) {
    if (size_ == levels_.size()) levels_.emplace_back();
    covered_.push_back(std::exchange(levels_[size_++], level));
  }
  Level pop() {
    VC_CHECK(size_ > 0 && !covered_.empty());
    const Level top = std::exchange(levels_[--size_], covered_.back());
    covered_.pop_back();
    return top;
  }
  /// Keeps the first `size` levels and returns how many there were. After as many pops as pushes, the same call with
  /// that number restores the others. O(1), because nested apply-to-eaches do this at every depth.
  std::size_t set_size(std::size_t size) {
    VC_CHECK(size <= levels_.size());
    return std::exchange(size_, size);
  }

 private:
  std::size_t size_ = 0;
  std::vector<Level> levels_;   ///< behind the first size_: those that set_size() may restore
  std::vector<Level> covered_;  ///< for each push, the entry of levels_ that it replaced
};

}  // namespace nesl
