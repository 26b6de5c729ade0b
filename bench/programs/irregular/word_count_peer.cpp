#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

/// A hash table with open addressing, from words to their numbers of occurrences. Words are ranges of the text.
class Counts {
 public:
  struct Slot {
    const char* word;
    std::int32_t length, count;
  };

  explicit Counts(std::int64_t slots) : slots_(slots), mask_(std::uint64_t(slots - 1)) {}

  void clear() { std::fill(slots_.begin(), slots_.end(), Slot{}); }

  void add(const char* word, std::int32_t length, std::int32_t count) {
    std::uint64_t hash = std::uint64_t(length);
    for (std::int32_t i = 0; i < length; ++i) hash = (hash ^ std::uint64_t(word[i])) * 0x9e3779b97f4a7c15u;
    for (std::uint64_t place = hash >> 40;; ++place) {
      Slot& slot = slots_[std::int64_t(place & mask_)];
      if (slot.count == 0) slot = {word, length, 0};
      if (slot.length != length || std::memcmp(slot.word, word, std::size_t(length)) != 0) continue;
      slot.count += count;
      return;
    }
  }

  const Buffer<Slot>& slots() const { return slots_; }

 private:
  Buffer<Slot> slots_;
  std::uint64_t mask_;
};

std::string make_text(std::int64_t n) {
  std::string text;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int32_t number = below(1 + below(5000, i), i + n), length = 2 + below(8, number);
    for (std::int32_t j = 0; j < length; ++j) text += char('a' + below(26, 31 * number + j));
    text += ' ';
  }
  return text;
}

}  // namespace
}  // namespace program_peers

// One pass over the text, with one hash table per thread.
PROGRAM_PEER(word_count) {
  const std::string made = make_text(run.n());
  const Buffer<char> text(made.size(), [&](std::int64_t i) { return made[i]; });
  const std::int64_t size = text.size(), threads = run.team().threads(), grain = (size + threads - 1) / threads;
  constexpr std::int64_t kSlots = 1 << 14;
  std::vector<Counts> tables;
  for (std::int64_t t = 0; t < threads; ++t) tables.emplace_back(kSlots);
  run.time([&] {
    run.team().for_chunks(size, grain, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
      Counts& table = tables[chunk];
      table.clear();
      // A word belongs to the share in which it begins.
      const char *at = text.data() + begin, *const last = text.data() + end, *const all = text.data() + size;
      if (begin > 0)
        while (at < all && at[-1] != ' ') ++at;
      while (at < last) {
        const char* word = at;
        while (*at != ' ') ++at;
        table.add(word, std::int32_t(at - word), 1);
        ++at;
      }
    });
    for (std::int64_t t = 1; t < threads; ++t)
      for (const Counts::Slot& slot : tables[t].slots())
        if (slot.count > 0) tables[0].add(slot.word, slot.length, slot.count);
  });
  std::int64_t words = 0, most = 0, letters = 0;
  for (const Counts::Slot& slot : tables[0].slots()) {
    words += slot.count > 0;
    most = std::max<std::int64_t>(most, slot.count);
    letters += std::int64_t(slot.length) * slot.count;
  }
  run.result(words, most, letters);
  run.cost(double(size), 3.0 * size);
  run.report();
}
