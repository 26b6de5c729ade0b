#include <algorithm>
#include <array>
#include <utility>

#include "../frame/keys.h"
#include "../frame/peer_run.h"

namespace program_peers {
namespace {

constexpr int kBits = 11;
constexpr std::uint32_t kDigits = 1 << kBits;

struct Record {
  std::int32_t key, value;
};

/// A key as an unsigned int in the same order.
std::uint32_t unsigned_key(std::int32_t key) { return std::uint32_t(key) ^ 0x80000000u; }

/// Moves records to the places of their digits, in order.
void radix_pass(const Record* from, Record* to, std::int64_t n, std::uint32_t least, int shift) {
  const auto digit = [=](const Record& record) {
    return ((unsigned_key(record.key) - least) >> shift) & (kDigits - 1);
  };
  std::array<std::int32_t, kDigits> places{};
  for (std::int64_t i = 0; i < n; ++i) ++places[digit(from[i])];
  std::int32_t total = 0;
  for (std::int32_t& place : places) total += std::exchange(place, total);
  for (std::int64_t i = 0; i < n; ++i) to[places[digit(from[i])]++] = from[i];
}

}  // namespace
}  // namespace program_peers

// Radix sort with digits of 11 bits, the lowest digit first, of as many digits as the range of the keys has, unless the
// keys are in order.
PROGRAM_PEER(integer_sort) {
  const std::int64_t n = run.n(), kind = run.argument(0);
  const Buffer<Record> records(n, [&](std::int64_t i) { return Record{key(i, n, kind), std::int32_t(i)}; });
  const Buffer<Record> one(n), other(n);
  const Record* sorted = one.data();
  int passes = 0;
  run.time([&] {
    const auto by_key = [](const Record& a, const Record& b) { return a.key < b.key; };
    sorted = one.data();
    passes = 0;
    if (std::is_sorted(records.begin(), records.end(), by_key)) {
      std::copy(records.begin(), records.end(), one.data());
      return;
    }
    const auto [low, high] = std::minmax_element(records.begin(), records.end(), by_key);
    const std::uint32_t least = unsigned_key(low->key), range = unsigned_key(high->key) - least;
    const Record* from = records.data();
    for (int shift = 0; shift < 32 && range >> shift > 0; shift += kBits, ++passes) {
      Record* const to = passes % 2 == 0 ? one.data() : other.data();
      radix_pass(from, to, n, least, shift);
      sorted = from = to;
    }
  });
  std::uint32_t keys = 0, values = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    keys += std::uint32_t(sorted[i].key) * std::uint32_t(i);
    values += std::uint32_t(sorted[i].value) * std::uint32_t(i);
  }
  run.result(std::int32_t(keys), std::int32_t(values));
  // Each pass reads the records twice and writes them once; the extremes are read before.
  run.cost(8.0 * n * (1 + 3 * std::max(passes, 1)), n * 4.0 * (1 + passes));
  run.report();
}
