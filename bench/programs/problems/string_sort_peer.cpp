#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "../frame/peer_run.h"
#include "../frame/ragged_rows.h"

namespace program_peers {
namespace {

std::string make_word(std::int64_t i, std::int64_t prefix) {
  std::string word(std::size_t(prefix), 'q');
  const std::int32_t length = 1 + below(10, i);
  for (std::int32_t j = 0; j < length; ++j) word += char('a' + below(1 + below(26, 20 * i + j), 20 * i + 10 + j));
  return word;
}

}  // namespace
}  // namespace program_peers

// Sorts views of the words, and copies the words in their order.
PROGRAM_PEER(string_sort) {
  const std::int64_t n = run.n(), prefix = run.argument(0);
  const RaggedRows<char> words(
      n, [&](std::int64_t i) { return make_word(i, prefix).size(); },
      [&](std::int64_t i, std::int32_t j) { return make_word(i, prefix)[std::size_t(j)]; });
  const Buffer<std::string_view> order(n);
  const Buffer<char> letters(std::size_t(words.elements.size()));
  run.time([&] {
    for (std::int64_t i = 0; i < n; ++i) order[i] = {words[i].data(), words[i].size()};
    std::sort(order.begin(), order.end());
    char* at = letters.data();
    for (const std::string_view& word : order) at = std::copy(word.begin(), word.end(), at);
  });
  std::uint32_t lengths = 0, lasts = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    lengths += std::uint32_t(order[i].size()) * std::uint32_t(i);
    lasts += std::uint32_t(order[i].back()) * std::uint32_t(i);
  }
  run.result(std::int32_t(lengths), std::int32_t(lasts));
  // Bytes: the words read and written, and their places. Operations: one for each letter, which a radix sort needs.
  run.cost(2.0 * double(words.elements.size()) + 12.0 * n, double(words.elements.size()));
  run.report();
}
