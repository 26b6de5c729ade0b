#include "base/streaming.h"

namespace cvl::cpu {
namespace {

/// On AMD's processors a third-level cache takes whole lines from a core several times as fast as memory does.
constexpr std::int64_t kFilledInCache = 8 << 20;

std::int64_t stream_filled_bytes() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_is("amd")) return kFilledInCache;
#endif
  return kStreamBytes;
}

}  // namespace

bool stream_filled(const Result& result) {
  static const std::int64_t least = stream_filled_bytes();
  return result.length * static_cast<std::int64_t>(elem_size(result.type)) >= least;
}

}  // namespace cvl::cpu
