#include <algorithm>
#include <cmath>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

constexpr std::int64_t kSegment = 1 << 15;  // odd numbers per segment, one byte each: a cache of 32 KiB

/// The odd primes up to a limit.
std::vector<std::int64_t> odd_primes(std::int64_t limit) {
  std::vector<char> crossed(std::size_t(limit + 1), 0);
  std::vector<std::int64_t> primes;
  for (std::int64_t p = 3; p <= limit; p += 2) {
    if (crossed[p]) continue;
    primes.push_back(p);
    for (std::int64_t multiple = p * p; multiple <= limit; multiple += 2 * p) crossed[multiple] = 1;
  }
  return primes;
}

}  // namespace
}  // namespace program_peers

// Sieves odd numbers only, in segments that stay in the first-level cache.
PROGRAM_PEER(sieve) {
  const std::int64_t n = run.n(), odd = n / 2;  // number i stands for 2 i + 1
  const Buffer<char> prime(odd);
  const std::int64_t segments = (odd + kSegment - 1) / kSegment;
  const Buffer<std::int64_t> starts(segments + 1);
  const Buffer<std::int32_t> found(std::int64_t(1.3 * double(n) / std::log(double(n))) + 100);
  run.time([&] {
    const std::vector<std::int64_t> small = odd_primes(std::int64_t(std::sqrt(double(n))) + 1);
    run.team().for_chunks(odd, kSegment, [&](std::int64_t segment, std::int64_t begin, std::int64_t end) {
      std::fill(prime.begin() + begin, prime.begin() + end, 1);
      for (const std::int64_t p : small) {
        if (p * p / 2 >= end) break;
        // p * p is number p * p / 2, and consecutive odd multiples are p numbers apart.
        std::int64_t i = p * p / 2;
        if (i < begin) i += (begin - i + p - 1) / p * p;
        for (; i < end; i += p) prime[i] = 0;
      }
      if (begin == 0) prime[0] = 0;
      std::int64_t count = 0;
      for (std::int64_t i = begin; i < end; ++i) count += prime[i];
      starts[segment + 1] = count;
    });
    starts[0] = 1;  // after the prime 2
    for (std::int64_t segment = 0; segment < segments; ++segment) starts[segment + 1] += starts[segment];
    found[0] = 2;
    run.team().for_chunks(odd, kSegment, [&](std::int64_t segment, std::int64_t begin, std::int64_t end) {
      std::int64_t place = starts[segment];
      for (std::int64_t i = begin; i < end; ++i) {
        if (prime[i]) found[place++] = std::int32_t(2 * i + 1);
      }
    });
  });
  const std::int64_t count = starts[segments];
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += std::uint32_t(found[i]);
  run.result(count, std::int32_t(sum));
  // Bytes: flags written and read, primes written. Operations: a store for each odd multiple.
  run.cost(2.0 * odd + 4.0 * count, odd * std::log(std::log(double(n))));
  run.report();
}
