#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/check.h"

namespace vcode::letform {

/// Work list of functions, first in, first out; contains each function at most once.
class FunctionQueue {
 public:
  /// Makes an empty list for a program of this many functions.
  explicit FunctionQueue(std::size_t functions) : waits_(functions) {}

  /// Adds a function unless the list contains it.
  void add(std::uint32_t function) {
    if (waits_[function]) return;
    waits_[function] = true;
    queue_.push_back(function);
  }
  bool empty() const { return queue_.empty(); }
  /// Removes and returns the function that has waited longest.
  std::uint32_t take() {
    VC_CHECK(!queue_.empty());
    const std::uint32_t function = queue_.front();
    queue_.pop_front();
    waits_[function] = false;
    return function;
  }

 private:
  std::deque<std::uint32_t> queue_;
  std::vector<bool> waits_;
};

}  // namespace vcode::letform
