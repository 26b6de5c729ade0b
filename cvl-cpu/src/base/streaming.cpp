#include "base/streaming.h"

#include <cstdint>

#include "tuning/streaming_tuning.h"

namespace cvl::cpu {
namespace {

std::int64_t stream_bytes() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_is("amd")) return kStreamBytesAmd;
#endif
  return kStreamBytes;
}

}  // namespace

bool stream_result(const Result& result) {
  static const std::int64_t least = stream_bytes();
  const bool starts_line = reinterpret_cast<std::uintptr_t>(result.data) % 64 == 0;
  return starts_line && result.length * static_cast<std::int64_t>(elem_size(result.type)) >= least;
}

}  // namespace cvl::cpu
