#include "peers/peers.h"
#include "peers/segments.h"
#include "peers/simd.h"

namespace peers {
namespace {

/// Elements of a chunk. A fill only stores, so its chunks may be larger.
constexpr std::int64_t kFillGrain = 2 * kGrain;

template <class T>
void fill(T* r, std::int64_t n, T value, bool streaming) {
  std::int64_t e = 0;
  if (streaming && n >= 4 * kLanes<T>) {
    for (; reinterpret_cast<std::uintptr_t>(r + e) % kVectorBytes != 0; ++e) r[e] = value;
    const Vector<T> v = Vector<T>{} + value;
    for (; e + kLanes<T> <= n; e += kLanes<T>) stream<T>(r + e, v);
  }
  for (; e < n; ++e) r[e] = value;
}

}  // namespace

template <class T>
void dist(Team& team, const T* v, const Segments& segments, T* r) {
  const bool streaming = segments.elements * std::int64_t(sizeof(T)) > kStreamBytes;
  team.for_chunks(segments.elements, kFillGrain, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    for_segments(segments, begin, end, [&](std::int64_t k, std::int64_t from, std::int64_t to) {
      fill(r + from, to - from, v[k], streaming);
    });
    if (streaming) stream_fence();
  });
}

void index(Team& team, const std::int32_t* start, const std::int32_t* stride, const Segments& segments,
           std::int32_t* r) {
  const bool streaming = segments.elements * std::int64_t(sizeof(std::int32_t)) > kStreamBytes;
  constexpr int kWide = kLanes<std::int32_t>;
  team.for_chunks(segments.elements, kFillGrain, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    for_segments(segments, begin, end, [&](std::int64_t k, std::int64_t from, std::int64_t to) {
      const std::uint32_t step = std::uint32_t(stride[k]);
      const std::uint32_t first = std::uint32_t(start[k]) - step * std::uint32_t(start_of(segments, k));
      std::int64_t e = from;
      if (streaming && to - from >= 4 * kWide) {
        for (; reinterpret_cast<std::uintptr_t>(r + e) % kVectorBytes != 0; ++e)
          r[e] = std::int32_t(first + step * std::uint32_t(e));
        Vector<std::uint32_t> value;
        for (int lane = 0; lane < kWide; ++lane) value[lane] = first + step * std::uint32_t(e + lane);
        for (; e + kWide <= to; e += kWide, value += step * kWide)
          stream<std::int32_t>(r + e, reinterpret_cast<Vector<std::int32_t>>(value));
      }
      for (; e < to; ++e) r[e] = std::int32_t(first + step * std::uint32_t(e));
    });
    if (streaming) stream_fence();
  });
}

#define CVL_PEERS(T) template void dist<T>(Team&, const T*, const Segments&, T*);
CVL_PEERS(std::int32_t)
CVL_PEERS(float)
CVL_PEERS(double)
#undef CVL_PEERS

}  // namespace peers
