#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "../frame/peer_run.h"
#include "../frame/ragged_rows.h"

namespace program_peers {
namespace {

std::string make_document(std::int64_t d) {
  std::string text;
  const std::int32_t words = 1 + below(199, d);
  for (std::int64_t i = 200 * d; i < 200 * d + words; ++i) {
    const std::int32_t number = below(1 + below(20000, 2 * i), 2 * i + 1), length = 2 + below(8, number);
    for (std::int32_t j = 0; j < length; ++j) text += char('a' + below(26, 31 * number + j));
    text += ' ';
  }
  return text;
}

}  // namespace
}  // namespace program_peers

// A table from words to lists of documents; a word that a document has again finds that document at the end of its
// list.
PROGRAM_PEER(inverted_index) {
  const std::int64_t n = run.n();
  std::vector<std::string> made;
  for (std::int64_t d = 0; d < n; ++d) made.push_back(make_document(d));
  const RaggedRows<char> documents(
      n, [&](std::int64_t d) { return made[d].size(); }, [&](std::int64_t d, std::int32_t j) { return made[d][j]; });
  std::unordered_map<std::string_view, std::vector<std::int32_t>> index;
  run.time([&] {
    index.clear();
    for (std::int64_t d = 0; d < n; ++d) {
      const char *at = documents[d].data(), *const end = at + documents[d].size();
      while (at < end) {
        const char* const space = std::find(at, end, ' ');
        std::vector<std::int32_t>& list = index[{at, std::size_t(space - at)}];
        if (list.empty() || list.back() != d) list.push_back(std::int32_t(d));
        at = space + 1;
      }
    }
  });
  std::size_t most = 0, entries = 0;
  std::uint32_t sum = 0;
  for (const auto& [word, list] : index) {
    most = std::max(most, list.size());
    entries += list.size();
    for (const std::int32_t d : list) sum += std::uint32_t(word.size()) * std::uint32_t(d);
  }
  run.result(index.size(), most, std::int32_t(sum));
  // Bytes: the letters, and the lists. Operations: three for each letter.
  run.cost(double(documents.elements.size()) + 4.0 * double(entries), 3.0 * double(documents.elements.size()));
  run.report();
}
