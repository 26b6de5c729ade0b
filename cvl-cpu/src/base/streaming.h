#pragma once

#include <cstddef>

#include "cvl/backend.h"

namespace cvl::cpu {

/// Results of at least this many bytes are written past the cache (measured; see
/// docs/decisions/011-streaming-stores.md).
inline constexpr std::int64_t kStreamBytes = 2 << 20;

/// How many bytes ahead scans, chains and reductions of short segments ask for operands that come from memory.
inline constexpr std::ptrdiff_t kAhead = 4096;

inline bool stream_result(const Result& result) {
  return result.length * static_cast<std::int64_t>(elem_size(result.type)) >= kStreamBytes;
}
/// The same for a result that is written without reading a vector of its size.
bool stream_filled(const Result& result);

}  // namespace cvl::cpu
