#pragma once

#include "cvl/backend.h"
#include "tuning/streaming_tuning.h"

namespace cvl::cpu {

/// Whether to write a result by non-temporal stores, past the cache.
inline bool stream_result(const Result& result) {
  return result.length * static_cast<std::int64_t>(elem_size(result.type)) >= kStreamBytes;
}
/// Whether to write by non-temporal stores a result whose computation reads no vector of its size.
bool stream_filled(const Result& result);

}  // namespace cvl::cpu
