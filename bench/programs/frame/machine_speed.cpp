#include "machine_speed.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <vector>

#include "huge_buffer.h"
#include "register_bytes.h"

namespace program_peers {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr int kLanes = kRegisterBytes / 8;
using Lanes __attribute__((vector_size(kRegisterBytes))) = double;
using Words __attribute__((vector_size(kRegisterBytes))) = std::uint64_t;

/// Receives results, so that compilers do not remove their computation.
thread_local volatile double sink;

std::uint64_t read_words(const std::byte* bytes, std::int64_t lines) {
  Words a{}, b{}, c{}, d{};
  const auto* words = reinterpret_cast<const Words*>(bytes);
  const std::int64_t n = lines * (64 / kRegisterBytes);
  std::int64_t i = 0;
  for (; i + 4 <= n; i += 4) a += words[i], b += words[i + 1], c += words[i + 2], d += words[i + 3];
  for (; i < n; ++i) a += words[i];
  a += b + c + d;
  std::uint64_t sum = 0;
  for (int lane = 0; lane < kLanes; ++lane) sum += a[lane];
  return sum;
}

}  // namespace

double operation_rate() {
  constexpr int kChains = 12, kSteps = 20000;
  std::array<Lanes, kChains> chains{};
  const Lanes factor = Lanes{} + 0.999, summand = Lanes{} + 1e-3;
  double best = 0;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const auto start = Clock::now();
    for (int step = 0; step < kSteps; ++step)
      for (Lanes& chain : chains) chain = chain * factor + summand;
    best = std::max(best, 2.0 * kChains * kLanes * kSteps / seconds_since(start));
  }
  for (const Lanes& chain : chains) sink = chain[0];
  return best;
}

double read_bandwidth(peers::Team& team) {
  double bytes = 0;
  for (const auto& block : HugeBlock::all()) bytes += double(block.size());
  const int passes = std::max(1, int(2e7 / bytes));
  double best = 0;
  for (int attempt = 0; attempt < 4; ++attempt) {
    const auto start = Clock::now();
    for (int pass = 0; pass < passes; ++pass)
      for (const auto& block : HugeBlock::all()) {
        constexpr std::int64_t kLine = 64, kGrain = 1 << 14;
        team.for_chunks((std::int64_t(block.size()) + kLine - 1) / kLine, kGrain,
                        [&](auto, std::int64_t from, std::int64_t to) {
                          sink = double(read_words(block.data() + from * kLine, to - from));
                        });
      }
    best = std::max(best, passes * bytes / seconds_since(start));
  }
  return best;
}

double copy_bandwidth(peers::Team& team) {
  constexpr std::int64_t kBytes = 256 << 20, kGrain = 1 << 20;
  const Buffer<std::byte> from(kBytes), to(kBytes);
  double best = 0;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const auto start = Clock::now();
    team.for_chunks(kBytes, kGrain, [&](auto, std::int64_t begin, std::int64_t end) {
      std::memcpy(to.data() + begin, from.data() + begin, std::size_t(end - begin));
    });
    best = std::max(best, 2.0 * kBytes / seconds_since(start));
  }
  return best;
}

SpinTimes spin_times() {
  constexpr int kAttempts = 51, kSteps = 2000000;
  std::vector<double> times;
  double x = 0.5;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto start = Clock::now();
    for (int step = 0; step < kSteps; ++step) x = x * 0.999 + 1e-3;
    times.push_back(seconds_since(start));
  }
  sink = x;
  std::sort(times.begin(), times.end());
  return {times[kAttempts / 2], times.back()};
}

}  // namespace program_peers
