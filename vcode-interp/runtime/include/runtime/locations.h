#pragma once

#include <limits>

#include "runtime/heap.h"
#include "runtime/host_backend.h"

namespace runtime {

/// The two locations of values and computations: the host, with operations on short vectors, and a device.
struct Locations {
  Locations(Backend& device, std::int64_t limit)
      : heap(device), unified(device.unified_memory()), wants_heads(device.wants_segment_heads()), host_limit(limit) {
    VC_CHECK(0 <= limit && limit <= kShortLimit);
  }

  /// Whether descriptors of that many segments have heads.
  bool has_heads(std::int64_t segments) const {
    return wants_heads && segments <= std::numeric_limits<std::int32_t>::max();
  }
  std::int64_t room_of_offsets(std::int64_t segments) const {
    return runtime::room_of_offsets(segments, has_heads(segments));
  }
  /// Fills the room for offsets at `data`.
  MakeOffsets make_offsets(const Operand& lengths, void* data) const {
    const std::int64_t entries = lengths.length + 1;
    Result nonempty{ElemType::kI32, entries, nullptr};
    if (has_heads(lengths.length)) nonempty.data = static_cast<std::int64_t*>(data) + entries;
    return {lengths, {ElemType::kI64, entries, data}, nonempty};
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
