#pragma once

#include "runtime/heap.h"
#include "runtime/host_backend.h"

namespace runtime {

/// The places where values are kept and computed: memory of the host, with the host's operations on short vectors, and
/// a device.
struct Locations {
  Locations(Backend& device, std::int64_t limit)
      : heap(device), unified(device.unified_memory()), wants_heads(device.wants_segment_heads()), host_limit(limit) {
    VC_CHECK(0 <= limit && limit <= kShortLimit);
  }

  Heap heap;  ///< of both
  HostBackend host;
  const bool unified;      ///< host and device read each other's memory
  const bool wants_heads;  ///< see Backend::wants_segment_heads
  /// An operation is computed on the host if none of its vectors and descriptors is longer; at most kShortLimit. With
  /// 0, for tests, every operation is computed by the device, on scalars too.
  const std::int64_t host_limit;
};

}  // namespace runtime
