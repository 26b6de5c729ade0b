#include "peers/peers.h"
#include "peers/simd.h"

namespace peers {

void copy_bytes(Team& team, void* to, const void* from, std::int64_t bytes, bool streaming) {
  team.for_chunks(bytes, 4 * kGrain, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    char* r = static_cast<char*>(to);
    const char* a = static_cast<const char*>(from);
    std::int64_t e = begin;
    if (streaming) {
      for (; e + kVectorBytes <= end; e += kVectorBytes) stream<char>(r + e, load<char>(a + e));
      stream_fence();
    } else {
      for (; e + kVectorBytes <= end; e += kVectorBytes) store<char>(r + e, load<char>(a + e));
    }
    std::memcpy(r + e, a + e, std::size_t(end - e));
  });
}

}  // namespace peers
