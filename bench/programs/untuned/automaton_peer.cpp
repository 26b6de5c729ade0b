#include <array>
#include <string_view>

#include "../frame/peer_run.h"
#include "../frame/ragged_rows.h"

namespace program_peers {
namespace {

constexpr int kStates = 9;
/// The next state for each state and each character.
using Table = std::array<std::array<std::uint8_t, 256>, kStates>;

/// The automaton of automaton.nesl.
Table make_table() {
  // For digits, signs, the point, the e, and others.
  constexpr std::uint8_t kTransitions[kStates][5] = {{2, 1, 3, 8, 8}, {2, 8, 3, 8, 8}, {2, 8, 4, 5, 8},
                                                     {4, 8, 8, 8, 8}, {4, 8, 8, 5, 8}, {7, 6, 8, 8, 8},
                                                     {7, 8, 8, 8, 8}, {7, 8, 8, 8, 8}, {8, 8, 8, 8, 8}};
  Table table;
  for (int state = 0; state < kStates; ++state)
    for (int c = 0; c < 256; ++c) {
      const bool digit = c >= '0' && c <= '9', sign = c == '+' || c == '-';
      table[state][c] = kTransitions[state][digit ? 0 : sign ? 1 : c == '.' ? 2 : c == 'e' ? 3 : 4];
    }
  return table;
}

}  // namespace
}  // namespace program_peers

PROGRAM_PEER(automaton) {
  constexpr std::string_view kAlphabet = "01234567890123456789012345678901234+-.ex";
  const std::int64_t n = run.n();
  const RaggedRows<char> strings(
      n, [](std::int64_t k) { return 1 + below(20, k); },
      [&](std::int64_t k, std::int32_t j) { return kAlphabet[below(std::int32_t(kAlphabet.size()), 20 * k + j)]; });
  const Table table = make_table();
  const Buffer<std::uint8_t> states(n);
  run.time([&] {
    run.team().for_chunks(n, 4096, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        std::uint8_t state = 0;
        for (const char c : strings[k]) state = table[state][std::uint8_t(c)];
        states[k] = state;
      }
    });
  });
  std::array<std::int64_t, kStates> counts{};
  for (const std::uint8_t state : states) ++counts[state];
  run.result(counts[2], counts[4], counts[7]);
  run.cost(double(strings.elements.size()) + 5.0 * n, double(strings.elements.size()));
  run.report();
}
