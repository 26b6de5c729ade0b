#include <algorithm>
#include <bit>

#include "../frame/keys.h"
#include "../frame/peer_run.h"

// A hash table with open addressing of twice as many slots as keys holds one more than the index of each different key.
PROGRAM_PEER(remove_duplicates) {
  const std::int64_t n = run.n(), kind = run.argument(0);
  const Buffer<std::int32_t> keys(n, [&](std::int64_t i) { return key(i, n, kind); });
  const int bits = std::bit_width(std::uint64_t(2 * n - 1));
  const std::uint32_t mask = std::uint32_t((std::uint64_t(1) << bits) - 1);
  const Buffer<std::int32_t> slots(std::size_t(mask) + 1), unique(n);
  std::int64_t size = 0;
  run.time([&] {
    std::fill(slots.begin(), slots.end(), 0);
    size = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int32_t wanted = keys[i];
      std::uint32_t place = std::uint32_t((std::uint64_t(std::uint32_t(wanted)) * 0x9e3779b97f4a7c15u) >> (64 - bits));
      while (slots[place] != 0 && unique[slots[place] - 1] != wanted) place = (place + 1) & mask;
      if (slots[place] != 0) continue;
      unique[size++] = wanted;
      slots[place] = std::int32_t(size);
    }
  });
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < size; ++i) sum += std::uint32_t(unique[i]) * std::uint32_t(i);
  run.result(size, std::int32_t(sum));
  // Bytes: the keys, the table cleared and filled, the result. Operations: a hash and a comparison for each key.
  run.cost(4.0 * n + 8.0 * double(slots.size()) + 4.0 * double(size), 4.0 * n);
  run.report();
}
