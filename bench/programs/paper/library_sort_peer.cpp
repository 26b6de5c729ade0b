#include <array>

#include "../../peers/simd.h"
#include "../frame/keys.h"
#include "../frame/peer_run.h"
#include "sorting.h"

namespace program_peers {
namespace {

constexpr int kBits = 8, kPasses = 4;
constexpr std::uint32_t kDigits = 1 << kBits;

using Counts = std::array<std::uint32_t, kDigits>;

/// The digit of a key in a pass; the sign bit is inverted.
template <int kPass>
std::uint32_t digit(std::int32_t key) {
  return ((std::uint32_t(key) ^ 0x80000000u) >> (kPass * kBits)) & (kDigits - 1);
}

/// Writes the keys of each digit to consecutive addresses, a whole cache line at a time with streaming stores: cached
/// stores would read the lines first.
class LineWriter {
 public:
  LineWriter(std::int32_t* target, const Counts& places) : target_(target), first_(places), next_(places) {}

  void put(std::uint32_t d, std::int32_t key) {
    const std::uint32_t place = next_[d]++;
    lines_[d].keys[place % kLine] = key;
    if (place % kLine == kLine - 1) write(d, place - (kLine - 1));
  }

  void flush() {
    for (std::uint32_t d = 0; d < kDigits; ++d) {
      const std::uint32_t begin = std::max(first_[d], next_[d] / kLine * kLine);
      for (std::uint32_t place = begin; place < next_[d]; ++place) target_[place] = lines_[d].keys[place % kLine];
    }
    peers::stream_fence();
  }

 private:
  static constexpr std::uint32_t kLine = 16;
  struct alignas(64) Line {
    std::array<std::int32_t, kLine> keys;
  };

  /// Writes the line that begins at `place`, or the part of it that belongs to this thread.
  void write(std::uint32_t d, std::uint32_t place) {
    const Line& line = lines_[d];
    if (place >= first_[d]) {
      for (std::uint32_t i = 0; i < kLine; i += peers::kLanes<std::int32_t>)
        peers::stream(target_ + place + i, peers::load(line.keys.data() + i));
      return;
    }
    for (std::uint32_t i = first_[d] - place; i < kLine; ++i) target_[place + i] = line.keys[i];
  }

  std::int32_t* target_;
  Counts first_, next_;
  std::array<Line, kDigits> lines_;
};

/// One pass: counts the digits of the keys of each thread's share, and then writes the keys to the range of their digit
/// and share.
template <int kPass>
void radix_pass(peers::Team& team, const Buffer<std::int32_t>& from, const Buffer<std::int32_t>& to,
                std::vector<Counts>& places) {
  const std::int64_t n = from.size(), grain = (n + team.threads() - 1) / team.threads();
  team.for_chunks(n, grain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    // Two tables, since increments of one counter depend on each other.
    std::array<Counts, 2> counts{};
    for (std::int64_t i = begin; i < end; ++i) ++counts[i & 1][digit<kPass>(from[i])];
    for (std::uint32_t d = 0; d < kDigits; ++d) places[chunk][d] = counts[0][d] + counts[1][d];
  });
  std::uint32_t total = 0;
  for (std::uint32_t d = 0; d < kDigits; ++d)
    for (Counts& share : places) total += std::exchange(share[d], total);
  team.for_chunks(n, grain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    LineWriter writer(to.data(), places[chunk]);
    for (std::int64_t i = begin; i < end; ++i) writer.put(digit<kPass>(from[i]), from[i]);
    writer.flush();
  });
}

}  // namespace
}  // namespace program_peers

// Radix sort with four digits of 8 bits, the lowest digit first.
PROGRAM_PEER(library_sort) {
  const std::int64_t n = run.n(), kind = run.argument(0);
  const Buffer<std::int32_t> keys(n, [&](std::int64_t i) { return key(i, n, kind); });
  const Buffer<std::int32_t> sorted(n), other(n);
  std::vector<Counts> places(std::size_t(run.team().threads()), Counts{});
  run.time([&] {
    radix_pass<0>(run.team(), keys, other, places);
    radix_pass<1>(run.team(), other, sorted, places);
    radix_pass<2>(run.team(), sorted, other, places);
    radix_pass<3>(run.team(), other, sorted, places);
  });
  run.result(sorted[0], sorted[n - 1], checksum(sorted.data(), n));
  // Each pass reads the keys twice and writes them once.
  run.cost(kPasses * 12.0 * n, kPasses * 2.0 * n);
  run.report();
}
