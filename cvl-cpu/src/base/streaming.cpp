#include "base/streaming.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "tuning/streaming_tuning.h"

namespace cvl::cpu {

std::int64_t stream_bytes() {
  // sysconf() returns zero or less if it does not know the size.
  static const std::int64_t bytes =
      std::clamp(sysconf(_SC_LEVEL3_CACHE_SIZE) / kStreamShare, kStreamBytesMin, kStreamBytesMax);
  return bytes;
}

bool stream_result(const Result& result) {
  const bool starts_line = reinterpret_cast<std::uintptr_t>(result.data) % 64 == 0;
  return starts_line && result.length * static_cast<std::int64_t>(elem_size(result.type)) >= stream_bytes();
}

}  // namespace cvl::cpu
