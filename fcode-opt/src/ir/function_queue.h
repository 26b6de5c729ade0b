#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/check.h"

namespace vcode::letform {

/// A work list of functions, each of them in it at most once at a time; first in, first out.
class FunctionQueue {
 public:
  /// Empty, for a program of so many functions.
  explicit FunctionQueue(std::size_t functions) : waits_(functions) {}

  /// Adds a function, unless it is waiting already.
  void add(std::uint32_t function) {
    if (waits_[function]) return;
    waits_[function] = true;
    queue_.push_back(function);
  }
  bool empty() const { return queue_.empty(); }
  /// Removes the function that has waited longest.
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
