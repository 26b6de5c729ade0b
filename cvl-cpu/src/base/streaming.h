#pragma once

#include "cvl/backend.h"
#include "tuning/streaming_tuning.h"

namespace cvl::cpu {

/// Whether non-temporal stores write a result, past the cache.
inline bool stream_result(const Result& result) {
  return result.length * static_cast<std::int64_t>(elem_size(result.type)) >= kStreamBytes;
}
/// The same for a result that is written without reading a vector of its size.
bool stream_filled(const Result& result);

}  // namespace cvl::cpu
