#pragma once

#include <cstdint>
#include <memory>

#include "base/chunks.h"
#include "cvl/backend.h"

namespace cvl::cpu {

/// Numbers of true flags in a chunk.
struct PackCount {
  std::int64_t kept = 0;
  std::int64_t tail = 0;  ///< those of the segment that continues after the chunk
};

struct PackKernels {
  /// Counts the true flags of a chunk. Writes to lengths[k] the number of those of segment k within the chunk, for each
  /// segment k that ends in it. Indexed by whether lengths have 64 bits.
  using Count = PackCount(const bool* flags, const SegmentDescriptor& descriptor, const Chunk& chunk, void* lengths);
  Count* count[2] = {};

  /// Packs elements [begin, end) of a to elements [at, at + kept) of the result, and writes nowhere else. Indexed by
  /// element size: 1, 4, 8 bytes.
  using Pack = void(const void* a, const bool* flags, std::int64_t begin, std::int64_t end, void* result,
                    std::int64_t at, std::int64_t kept);
  Pack* pack[3] = {};
};

}  // namespace cvl::cpu
