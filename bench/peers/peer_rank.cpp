#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>
#include <vector>

#include "peers/peers.h"
#include "peers/segments.h"
#include "peers/simd.h"

namespace peers {
namespace {

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// A key whose unsigned order is the order of T.
template <class T>
Bits<T> key_of(T x) {
  constexpr Bits<T> kSign = Bits<T>(1) << (8 * sizeof(T) - 1);
  if constexpr (std::is_integral_v<T>)
    return Bits<T>(x) ^ kSign;
  else {
    const Bits<T> bits = std::bit_cast<Bits<T>>(x);
    return bits & kSign ? ~bits : bits | kSign;
  }
}

constexpr int kDigitBits = 11;
constexpr std::int64_t kDigits = 1 << kDigitBits;

/// Does one stable counting pass: key(e) is the key of pair e, put(e, place) moves the pair.
template <class K, class Key, class Put>
void pass(Team& team, std::int64_t n, int shift, Key&& key, Put&& put) {
  const std::int64_t grain = std::max<std::int64_t>(kGrain, (n + team.threads() - 1) / team.threads());
  std::vector<std::array<std::int64_t, kDigits>> counts(std::size_t((n + grain - 1) / grain));
  const auto digit = [&](std::int64_t e) { return std::size_t(K(key(e) >> shift) & K(kDigits - 1)); };
  team.for_chunks(n, grain, [&](std::int64_t c, std::int64_t begin, std::int64_t end) {
    auto& count = counts[std::size_t(c)];
    count.fill(0);
    for (std::int64_t e = begin; e < end; ++e) ++count[digit(e)];
  });
  std::int64_t at = 0;
  for (std::size_t d = 0; d < std::size_t(kDigits); ++d)
    for (auto& count : counts) {
      const std::int64_t here = count[d];
      count[d] = at;
      at += here;
    }
  team.for_chunks(n, grain, [&](std::int64_t c, std::int64_t begin, std::int64_t end) {
    auto& count = counts[std::size_t(c)];
    for (std::int64_t e = begin; e < end; ++e) put(e, count[digit(e)]++);
  });
}

template <class T>
void rank_flat(Team& team, const T* a, std::int64_t n, std::int32_t* r, std::uint64_t* scratch) {
  using K = Bits<T>;
  struct Pair {
    K key;
    std::uint32_t index;
  };
  Pair* from = reinterpret_cast<Pair*>(scratch);
  Pair* to = from + n;
  std::vector<K> low(std::size_t(n / kGrain + 1), K(~K(0))), high(low.size(), K(0));
  team.for_chunks(n, kGrain, [&](std::int64_t c, std::int64_t begin, std::int64_t end) {
    K least = ~K(0), most = 0;
    for (std::int64_t e = begin; e < end; ++e) {
      least = std::min(least, key_of(a[e]));
      most = std::max(most, key_of(a[e]));
    }
    low[std::size_t(c)] = least;
    high[std::size_t(c)] = most;
  });
  const K base = *std::min_element(low.begin(), low.end());
  const int bits = std::bit_width(K(*std::max_element(high.begin(), high.end()) - base));
  const int passes = std::max(1, (bits + kDigitBits - 1) / kDigitBits);
  const auto raw_key = [&](std::int64_t e) { return K(key_of(a[e]) - base); };
  if (passes == 1) {
    pass<K>(team, n, 0, raw_key, [&](std::int64_t e, std::int64_t place) { r[e] = std::int32_t(place); });
    return;
  }
  pass<K>(team, n, 0, raw_key, [&](std::int64_t e, std::int64_t place) { to[place] = {raw_key(e), std::uint32_t(e)}; });
  std::swap(from, to);
  for (int p = 1; p < passes; ++p) {
    const auto key = [&](std::int64_t e) { return from[e].key; };
    if (p == passes - 1) {
      pass<K>(team, n, p * kDigitBits, key,
              [&](std::int64_t e, std::int64_t place) { r[from[e].index] = std::int32_t(place); });
    } else {
      pass<K>(team, n, p * kDigitBits, key, [&](std::int64_t e, std::int64_t place) { to[place] = from[e]; });
      std::swap(from, to);
    }
  }
}

}  // namespace

template <class T>
void rank(Team& team, const T* a, const Segments& segments, std::int32_t* r, std::uint64_t* scratch) {
  if (segments.offsets == nullptr) {
    rank_flat(team, a, segments.elements, r, scratch);
    return;
  }
  // Ranks the segments one by one, as one writes by hand for short segments.
  std::uint32_t* order = reinterpret_cast<std::uint32_t*>(scratch);
  team.for_chunks(segments.count, 1024, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      const std::int64_t first = segments.offsets[k], last = segments.offsets[k + 1];
      for (std::int64_t e = first; e < last; ++e) order[e] = std::uint32_t(e);
      std::stable_sort(order + first, order + last, [&](std::uint32_t x, std::uint32_t y) { return a[x] < a[y]; });
      for (std::int64_t p = first; p < last; ++p) r[order[p]] = std::int32_t(p - first);
    }
  });
}

#define CVL_PEERS(T) template void rank<T>(Team&, const T*, const Segments&, std::int32_t*, std::uint64_t*);
CVL_PEERS(std::int32_t)
CVL_PEERS(float)
CVL_PEERS(double)
#undef CVL_PEERS

}  // namespace peers
