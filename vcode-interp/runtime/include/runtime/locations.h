#pragma once

#include "runtime/heap.h"
#include "runtime/host_backend.h"

namespace runtime {

/// Where values can be and be computed: in memory of the host, by the host's own operations on short vectors, and on a
/// device.
struct Locations {
  explicit Locations(Backend& device)
      : heap(device), unified(device.unified_memory()), wants_heads(device.wants_segment_heads()) {}

  Heap heap;  ///< of both
  HostBackend host;
  const bool unified;      ///< host and device read each other's memory
  const bool wants_heads;  ///< see Backend::wants_segment_heads
};

}  // namespace runtime
