#include <algorithm>
#include <cstring>
#include <string>

#include "../frame/peer_run.h"

namespace program_peers {
namespace {

struct Letters {
  char letter;
  std::int32_t count;
};

}  // namespace
}  // namespace program_peers

PROGRAM_PEER(run_lengths) {
  std::string made;
  for (std::int64_t k = 0; k < run.n(); ++k) made.append(1 + below(20, 2 * k + 1), char('a' + below(4, 2 * k)));
  const Buffer<char> text(made.size(), [&](std::int64_t i) { return made[i]; });
  const Buffer<Letters> runs(run.n());
  const Buffer<char> decoded(text.size());
  const std::int64_t size = text.size();
  std::int64_t count = 0;
  run.time([&] {
    count = 0;
    for (std::int64_t begin = 0, end; begin < size; begin = end) {
      end = begin + 1;
      while (end < size && text[end] == text[begin]) ++end;
      runs[count++] = {text[begin], std::int32_t(end - begin)};
    }
    char* out = decoded.data();
    for (std::int64_t r = 0; r < count; ++r) {
      std::memset(out, runs[r].letter, std::size_t(runs[r].count));
      out += runs[r].count;
    }
  });
  std::int32_t longest = 0;
  for (std::int64_t r = 0; r < count; ++r) longest = std::max(longest, runs[r].count);
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < size; ++i) sum += std::uint32_t(decoded[i]) * std::uint32_t(i);
  run.result(count, longest, std::int32_t(sum));
  run.cost(2.0 * double(size) + 16.0 * double(count), double(size));
  run.report();
}
