#pragma once

#include "runtime/heap.h"
#include "runtime/host_backend.h"

namespace runtime {

/// The two locations of values and computations: the host, with operations on short vectors, and a device.
struct Locations {
  Locations(Backend& device, std::int64_t limit)
      : heap(device), unified(device.unified_memory()), wants_heads(device.wants_segment_heads()), host_limit(limit) {
    VC_CHECK(0 <= limit && limit <= kShortLimit);
  }

  Heap heap;  ///< for host and device
  HostBackend host;
  const bool unified;      ///< host and device read each other's memory
  const bool wants_heads;  ///< see Backend::wants_segment_heads
  /// Longest vector or descriptor of operations that the host computes; at most kShortLimit. With 0, for tests, the
  /// device computes every operation, also on scalars.
  const std::int64_t host_limit;
};

}  // namespace runtime
