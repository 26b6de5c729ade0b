#pragma once

#include <atomic>
#include <mutex>

#include "base/index_fault.h"
#include "cvl/backend.h"

namespace cvl::cpu {

/// Collects the faults of operations. Only one is kept: of the earliest operation with a fault, the fault with the
/// smallest position, in whatever order threads report.
class FaultSink {
 public:
  void set_site(std::uint32_t site) { site_ = site; }

  /// Begins an operation; each operation that can fault calls it first.
  void begin_operation() { closed_ = any(); }

  /// Reports a fault of the operation that began last. Thread-safe.
  void report(FaultKind kind, std::int64_t position, std::int64_t value, std::int64_t bound = 0) {
    std::lock_guard lock(mutex_);
    if (closed_ || (any() && first_.position <= position)) return;
    first_ = {kind, site_, position, value, bound};
    any_.store(true, std::memory_order_relaxed);
  }

  /// Reports `fault` if it is one. Returns true if there is none.
  bool check(const IndexFault& fault) {
    if (fault.any()) report(FaultKind::kIndexRange, fault.position, fault.value, fault.bound);
    return !fault.any();
  }

  bool any() const { return any_.load(std::memory_order_relaxed); }

  Fault take() {
    Fault fault = any() ? first_ : Fault{};
    any_ = false;
    closed_ = false;
    return fault;
  }

 private:
  std::mutex mutex_;
  Fault first_;
  std::uint32_t site_ = 0;
  std::atomic<bool> any_ = false;
  bool closed_ = false;  ///< a fault of an earlier operation is held
};

}  // namespace cvl::cpu
