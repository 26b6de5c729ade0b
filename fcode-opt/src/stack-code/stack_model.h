#pragma once

#include <cstdint>
#include <vector>

#include "base/check.h"

namespace vcode::letform {

/// Position of a value on the modelled stack. Positions above have larger numbers; those of removed values stay empty.
using Slot = std::uint32_t;

/// Depths of values on a stack while others are pushed and removed. All operations take logarithmic time, so functions
/// may have very many values.
class StackModel {
 public:
  Slot push();
  void remove(Slot slot);
  /// Number of values above a slot.
  std::uint32_t depth(Slot slot) const {
    VC_CHECK(slot < taken_.size() && taken_[slot]);
    return size_ - count_up_to(slot);
  }
  std::uint32_t size() const { return size_; }
  /// Slot of the value at a depth, counted from the top.
  Slot at_depth(std::uint32_t depth) const;

  /// State that roll_back() can return to.
  std::size_t mark() const { return history_.size(); }
  void roll_back(std::size_t mark);

 private:
  /// Number of values in the slots up to and including this one.
  std::uint32_t count_up_to(Slot slot) const;
  void add(Slot slot, std::uint32_t amount);
  void grow();

  // A binary indexed tree (P. Fenwick, "A new data structure for cumulative frequency tables", 1994): counts_[k] is the
  // number of values in the slots (k - (k & -k), k], counted from 1.
  std::vector<std::uint32_t> counts_ = {0};
  std::vector<bool> taken_;
  Slot next_ = 0;
  std::uint32_t size_ = 0;
  struct Change {
    Slot slot;
    bool pushed;
  };
  std::vector<Change> history_;
};

}  // namespace vcode::letform
