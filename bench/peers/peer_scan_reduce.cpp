#include <vector>

#include "peers/peers.h"
#include "peers/segments.h"
#include "peers/simd.h"

namespace peers {
namespace {

template <class T>
T sum_of(const T* a, std::int64_t n) {
  T total = 0;
  std::int64_t e = 0;
  if (n >= 8 * kLanes<T>) {
    Vector<T> sums[8] = {};
    for (; e + 8 * kLanes<T> <= n; e += 8 * kLanes<T>)
      for (int v = 0; v < 8; ++v) sums[v] += load(a + e + v * kLanes<T>);
    const Vector<T> sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    for (int lane = 0; lane < kLanes<T>; ++lane) total += sum[lane];
  }
  for (; e < n; ++e) total += a[e];
  return total;
}

/// Lanes shifted up by `by`, zeros shifted in.
template <class T, int by, int... lane>
Vector<T> moved_up(Vector<T> v, std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(v, Vector<T>{}, (lane < by ? kLanes<T> : lane - by)...);
}
template <class T, int by = 1>
Vector<T> prefix_sums(Vector<T> v) {
  if constexpr (by < kLanes<T>)
    return prefix_sums<T, 2 * by>(v + moved_up<T, by>(v, std::make_integer_sequence<int, kLanes<T>>{}));
  else
    return v;
}
template <class T, int... lane>
Vector<T> last_lane(Vector<T> v, std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(v, v, (lane * 0 + kLanes<T> - 1)...);
}

/// Exclusive sums of a[0..n) from `sum`; returns the sum after the last.
template <class T>
T scan_run(const T* a, T* r, std::int64_t n, T sum, bool streaming) {
  std::int64_t e = 0;
  if (n >= 4 * kLanes<T>) {
    for (; reinterpret_cast<std::uintptr_t>(r + e) % kVectorBytes != 0; ++e) {
      const T x = a[e];
      r[e] = sum;
      sum += x;
    }
    Vector<T> before = Vector<T>{} + sum;
    constexpr auto kAll = std::make_integer_sequence<int, kLanes<T>>{};
    for (; e + kLanes<T> <= n; e += kLanes<T>) {
      const Vector<T> inclusive = prefix_sums<T>(load(a + e));
      const Vector<T> result = before + moved_up<T, 1>(inclusive, kAll);
      if (streaming)
        stream<T>(r + e, result);
      else
        store<T>(r + e, result);
      before += last_lane<T>(inclusive, kAll);
    }
    sum = before[0];
  }
  for (; e < n; ++e) {
    const T x = a[e];
    r[e] = sum;
    sum += x;
  }
  return sum;
}

}  // namespace

template <class T>
void sum_scan(Team& team, const T* a, const Segments& segments, T* r) {
  const std::int64_t n = segments.elements;
  const bool streaming = 2 * n * std::int64_t(sizeof(T)) > kStreamBytes;
  // carry[c]: the sum, before chunk c, of the segment that continues in the chunk.
  std::vector<T> carry(std::size_t(n / kGrain + 2), T(0));
  if (team.threads() > 1 && n > kGrain) {
    std::vector<T> tail(carry.size());
    std::vector<std::uint8_t> whole(carry.size());
    team.for_chunks(n, kGrain, [&](std::int64_t c, std::int64_t begin, std::int64_t end) {
      const std::int64_t k = segments.offsets == nullptr
                                 ? 0
                                 : std::upper_bound(segments.offsets, segments.offsets + segments.count + 1, end - 1) -
                                       segments.offsets - 1;
      const std::int64_t from = std::max(begin, start_of(segments, k));
      const bool ends = segments.offsets != nullptr && segments.offsets[k + 1] == end;
      tail[std::size_t(c)] = ends ? T(0) : sum_of(a + from, end - from);
      whole[std::size_t(c)] = !ends && from == begin && start_of(segments, k) != begin;
    });
    for (std::size_t c = 0; c + 1 < carry.size(); ++c) carry[c + 1] = whole[c] ? carry[c] + tail[c] : tail[c];
  }
  T running = 0;
  const bool chained = team.threads() == 1;
  team.for_chunks(n, kGrain, [&](std::int64_t c, std::int64_t begin, std::int64_t end) {
    T sum = chained ? running : carry[std::size_t(c)];
    for_segments(segments, begin, end, [&](std::int64_t k, std::int64_t from, std::int64_t to) {
      if (start_of(segments, k) == from) sum = 0;
      sum = scan_run(a + from, r + from, to - from, sum, streaming);
    });
    if (chained) running = sum;
    if (streaming) stream_fence();
  });
}

template <class T>
void sum_reduce(Team& team, const T* a, const Segments& segments, T* r) {
  const std::int64_t n = segments.elements;
  struct Part {
    std::int64_t segment = -1;
    T sum = 0;
  };
  std::vector<Part> parts(std::size_t(n / kGrain + 1));  // of the segment that continues in a chunk
  if (segments.offsets == nullptr) {
    team.for_chunks(n, kGrain, [&](std::int64_t c, std::int64_t begin, std::int64_t end) {
      parts[std::size_t(c)] = {0, sum_of(a + begin, end - begin)};
    });
    T total = 0;
    for (const Part& part : parts) total += part.sum;
    r[0] = total;
    return;
  }
  const std::int64_t* const offsets = segments.offsets;
  team.for_chunks(segments.count, kGrain, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k)
      if (offsets[k] == offsets[k + 1]) r[k] = 0;
  });
  team.for_chunks(n, kGrain, [&](std::int64_t c, std::int64_t begin, std::int64_t end) {
    for_segments(segments, begin, end, [&](std::int64_t k, std::int64_t from, std::int64_t to) {
      const T sum = sum_of(a + from, to - from);
      if (offsets[k] == from)
        r[k] = sum;
      else
        parts[std::size_t(c)] = {k, sum};
    });
  });
  for (const Part& part : parts)
    if (part.segment >= 0) r[part.segment] += part.sum;
}

#define CVL_PEERS(T)                                               \
  template void sum_scan<T>(Team&, const T*, const Segments&, T*); \
  template void sum_reduce<T>(Team&, const T*, const Segments&, T*);
CVL_PEERS(std::int32_t)
CVL_PEERS(float)
CVL_PEERS(double)
#undef CVL_PEERS

}  // namespace peers
