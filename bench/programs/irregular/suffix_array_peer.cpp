#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

/// A suffix with its first eight letters, the first letter in the highest byte.
struct Suffix {
  std::uint64_t key;
  std::int32_t start;
};

/// Radix sort by the eight letters of the key, the last letter first. `other` has room for n suffixes.
void sort_by_key(Suffix* suffixes, Suffix* other, std::int64_t n) {
  for (int letter = 0; letter < 8; ++letter) {
    const auto digit = [letter](const Suffix& suffix) { return (suffix.key >> (8 * letter)) & 255; };
    std::array<std::int32_t, 256> places{};
    for (std::int64_t i = 0; i < n; ++i) ++places[digit(suffixes[i])];
    std::int32_t total = 0;
    for (std::int32_t& place : places) total += std::exchange(place, total);
    for (std::int64_t i = 0; i < n; ++i) other[places[digit(suffixes[i])]++] = suffixes[i];
    std::swap(suffixes, other);
  }
}

}  // namespace
}  // namespace program_peers

// Radix sort by the first eight letters, then comparison sort of suffixes that agree in these. With two threads, each
// sorts a half, and the halves are merged.
PROGRAM_PEER(suffix_array) {
  const std::int64_t n = run.n(), threads = run.team().threads(), grain = (n + threads - 1) / threads;
  const Buffer<char> text(n + 8, [&](std::int64_t i) { return i < n ? char('a' + below(4, i)) : char(0); });
  const Buffer<Suffix> suffixes(n), merged(n);
  const Buffer<std::int32_t> places(n);
  const auto before = [&](const Suffix& a, const Suffix& b) {
    if (a.key != b.key) return a.key < b.key;
    const std::int64_t from_a = std::min<std::int64_t>(a.start + 8, n), from_b = std::min<std::int64_t>(b.start + 8, n);
    const std::int64_t length = n - std::max(from_a, from_b);
    const int order = std::memcmp(text.data() + from_a, text.data() + from_b, std::size_t(length));
    return order != 0 ? order < 0 : a.start > b.start;
  };
  run.time([&] {
    run.team().for_chunks(n, grain, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        std::uint64_t letters;
        std::memcpy(&letters, text.data() + i, 8);
        suffixes[i] = {__builtin_bswap64(letters), std::int32_t(i)};
      }
      sort_by_key(suffixes.data() + begin, merged.data() + begin, end - begin);
      for (std::int64_t first = begin, last; first < end; first = last) {
        for (last = first + 1; last < end && suffixes[last].key == suffixes[first].key;) ++last;
        if (last > first + 1) std::sort(suffixes.begin() + first, suffixes.begin() + last, before);
      }
    });
    const Buffer<Suffix>* sorted = &suffixes;
    if (threads > 1) {
      std::merge(suffixes.begin(), suffixes.begin() + grain, suffixes.begin() + grain, suffixes.end(), merged.begin(),
                 before);
      sorted = &merged;
    }
    for (std::int64_t i = 0; i < n; ++i) places[i] = (*sorted)[i].start;
  });
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += std::uint32_t(places[i]) * std::uint32_t(i);
  run.result(std::int32_t(sum));
  // Eight passes read the suffixes twice and write them once.
  run.cost(n * (1.0 + 16 + 8 * 48 + 4), n * 8 * 4.0);
  run.report();
}
