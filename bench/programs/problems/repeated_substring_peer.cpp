#include <algorithm>
#include <array>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

constexpr std::int32_t kLetters = 4;

std::uint8_t make_letter(std::int64_t i, std::int64_t kind) {
  return std::uint8_t(kind == 0 ? below(kLetters, i) : kind == 1 ? below(kLetters, i % 100) : 0);
}

/// A state of the automaton of all suffixes: the substrings that end at the same places. Transitions to state 0, the
/// start, do not exist.
struct State {
  std::array<std::int32_t, kLetters> next{};
  std::int32_t link = -1, length = 0, first_end = 0, ends = 0;
};

class SuffixAutomaton {
 public:
  explicit SuffixAutomaton(std::int64_t n) : states_(std::size_t(2 * n)), order_(std::size_t(2 * n)), counts_(n + 1) {}

  void build(const Buffer<std::uint8_t>& text) {
    states_[0] = State{};
    size_ = 1;
    std::int32_t last = 0;
    for (std::int64_t i = 0; i < text.size(); ++i) last = extend(last, text[i], std::int32_t(i));
    count_ends(text.size());
  }

  const State* begin() const { return states_.data(); }
  const State* end() const { return states_.data() + size_; }

 private:
  std::int32_t extend(std::int32_t last, std::uint8_t letter, std::int32_t place) {
    const std::int32_t added = size_++;
    states_[added] = State{};
    states_[added].length = states_[last].length + 1;
    states_[added].first_end = place;
    states_[added].ends = 1;
    std::int32_t at = last;
    for (; at >= 0 && states_[at].next[letter] == 0; at = states_[at].link) states_[at].next[letter] = added;
    states_[added].link = at < 0 ? 0 : split(at, letter);
    return added;
  }

  /// The state of the longest string of state `at` followed by a letter, which gets a state of its own if need be.
  std::int32_t split(std::int32_t at, std::uint8_t letter) {
    const std::int32_t target = states_[at].next[letter];
    if (states_[target].length == states_[at].length + 1) return target;
    const std::int32_t clone = size_++;
    states_[clone] = states_[target];
    states_[clone].length = states_[at].length + 1;
    states_[clone].ends = 0;
    states_[target].link = clone;
    for (; at >= 0 && states_[at].next[letter] == target; at = states_[at].link) states_[at].next[letter] = clone;
    return clone;
  }

  /// Adds the numbers of ends along the links, the longest states first.
  void count_ends(std::int64_t n) {
    std::fill(counts_.begin(), counts_.end(), 0);
    for (std::int32_t s = 0; s < size_; ++s) ++counts_[states_[s].length];
    for (std::int64_t length = n; length > 0; --length) counts_[length - 1] += counts_[length];
    for (std::int32_t s = 0; s < size_; ++s) order_[--counts_[states_[s].length]] = s;
    for (std::int32_t i = 0; i + 1 < size_; ++i) states_[states_[order_[i]].link].ends += states_[order_[i]].ends;
  }

  Buffer<State> states_;
  Buffer<std::int32_t> order_, counts_;
  std::int32_t size_ = 0;
};

}  // namespace
}  // namespace program_peers

// The longest string of each state of a suffix automaton that ends at several places.
PROGRAM_PEER(repeated_substring) {
  const std::int64_t n = run.n(), kind = run.argument(0);
  const Buffer<std::uint8_t> text(n, [&](std::int64_t i) { return make_letter(i, kind); });
  SuffixAutomaton automaton(n);
  std::int32_t length = 0;
  std::int64_t count = 0;
  std::uint32_t places = 0;
  run.time([&] {
    automaton.build(text);
    length = 0;
    for (const State& state : automaton)
      if (state.ends > 1) length = std::max(length, state.length);
    count = 0;
    places = 0;
    for (const State& state : automaton) {
      if (state.ends < 2 || state.length != length) continue;
      ++count;
      places += std::uint32_t(state.first_end - length + 1);
    }
  });
  run.result(count, std::int32_t(places), length);
  // Bytes: the text, and the suffixes of a suffix array written. Operations: as many as bytes.
  run.cost(5.0 * n, 5.0 * n);
  run.report();
}
