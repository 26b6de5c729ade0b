#include "base/suggestion.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include <fmt/format.h>

namespace base {
namespace {

constexpr int kWrongCase = 1;  // for instance, INT for int
constexpr std::size_t kLongestWord = 40;

int replacement_cost(char a, char b) {
  if (a == b) return 0;
  return std::toupper(static_cast<unsigned char>(a)) == std::toupper(static_cast<unsigned char>(b)) ? kWrongCase
                                                                                                    : kTypingMistake;
}

}  // namespace

int typing_distance(std::string_view a, std::string_view b) {
  std::size_t width = b.size() + 1;
  std::vector<int> table((a.size() + 1) * width);
  auto at = [&](std::size_t i, std::size_t j) -> int& { return table[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        at(i, j) = static_cast<int>(i + j) * kTypingMistake;
        continue;
      }
      at(i, j) = std::min({at(i - 1, j) + kTypingMistake, at(i, j - 1) + kTypingMistake,
                           at(i - 1, j - 1) + replacement_cost(a[i - 1], b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + kTypingMistake);
    }
  return at(a.size(), b.size());
}

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.size() > kLongestWord) return {};
  // At most one mistake in three letters; in a shorter word only the case may be wrong.
  int best = static_cast<int>(word.size()) / 3 * kTypingMistake + kTypingMistake - 1;
  std::string_view found;
  for (std::string_view candidate : candidates) {
    std::size_t longer = std::max(word.size(), candidate.size()), shorter = std::min(word.size(), candidate.size());
    if (static_cast<int>(longer - shorter) * kTypingMistake >= best) continue;
    if (int d = typing_distance(word, candidate); d < best) {
      best = d;
      found = candidate;
    }
  }
  return found.empty() ? std::string() : fmt::format("; did you mean {}?", found);
}

}  // namespace base
