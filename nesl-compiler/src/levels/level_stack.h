#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"
#include "emitter.h"

namespace nesl {

/// One nesting level around the code being compiled: the elements of an apply-to-each, those that a filter keeps, or
/// the instances that take a branch of a conditional. Divides or restricts the instances of the enclosing level. The
/// link of the outermost own level of a function has one segment.
struct Level {
  Var link = letform::kNoVar;    ///< descriptor: a segment for each instance of the enclosing level
  Var flags = letform::kNoVar;   ///< instead of a link: which instances of the enclosing level are in this one
  Var within = letform::kNoVar;  ///< with flags: descriptor over the enclosing level that PACK uses
  Var mixed = letform::kNoVar;   ///< with flags: scalar BOOL; if false, all instances of the enclosing level are here
  Var single = letform::kNoVar;  ///< descriptor of one segment over all instances, if known
  bool maybe_empty = true;       ///< false if the code runs only when there is an instance
  std::uint64_t id = 0;          ///< unique for each level ever entered
};

/// Nesting levels around the code being compiled, the outermost first.
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
  /// Keeps the first `size` levels and returns the previous number. After equal numbers of pushes and pops, set_size()
  /// with that number restores the dropped levels. O(1), because nested apply-to-eaches call it at every depth.
  std::size_t set_size(std::size_t size) {
    VC_CHECK(size <= levels_.size());
    return std::exchange(size_, size);
  }

 private:
  std::size_t size_ = 0;
  std::vector<Level> levels_;   ///< levels_[k] for k >= size_: levels that set_size() may restore
  std::vector<Level> covered_;  ///< for each push, the entry of levels_ that it replaced
};

}  // namespace nesl
