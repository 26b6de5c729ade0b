#include "peers/peers.h"
#include "peers/segments.h"
#include "peers/simd.h"

namespace peers {

template <class T>
void permute(Team& team, const T* a, const std::int32_t* i, const Segments& segments, T* r) {
  team.for_chunks(segments.elements, kGrain, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    for_segments(segments, begin, end, [&](std::int64_t k, std::int64_t from, std::int64_t to) {
      T* base = r + start_of(segments, k);
      for (std::int64_t e = from; e < to; ++e) base[i[e]] = a[e];
    });
  });
}

template <class T>
void gather(Team& team, const T* a, const std::int32_t* i, const Segments& segments, T* r) {
  team.for_chunks(segments.elements, kGrain, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    for_segments(segments, begin, end, [&](std::int64_t k, std::int64_t from, std::int64_t to) {
      const T* base = a + start_of(segments, k);
      for (std::int64_t e = from; e < to; ++e) r[e] = base[i[e]];
    });
  });
}

#define CVL_PEERS(T)                                                                   \
  template void permute<T>(Team&, const T*, const std::int32_t*, const Segments&, T*); \
  template void gather<T>(Team&, const T*, const std::int32_t*, const Segments&, T*);
CVL_PEERS(std::int32_t)
CVL_PEERS(float)
CVL_PEERS(double)
#undef CVL_PEERS

}  // namespace peers
