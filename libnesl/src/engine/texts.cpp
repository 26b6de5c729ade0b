#include "texts.h"

#include <algorithm>

namespace nesl_c {

namespace {

// A mark is a number between two private-use characters of Unicode, which messages leave unchanged.
constexpr std::string_view kMarkBegins = "\xEF\xA3\x90", kMarkEnds = "\xEF\xA3\x91";

}  // namespace

const std::string& Texts::add(const std::string& name, const std::string& text) {
  std::string key = name;
  for (int k = 2;; ++k) {
    const auto [at, is_new] = texts_.try_emplace(key, key, text);
    if (is_new || at->second.text() == text) return at->first;
    key = name + std::string(kMarkBegins) + std::to_string(k) + std::string(kMarkEnds);
  }
}

std::string_view Texts::line(const std::string& key, std::uint32_t number) const {
  const auto at = texts_.find(key);
  return at == texts_.end() ? std::string_view() : at->second.line(number);
}

std::string Texts::without_marks(std::string text) {
  for (std::size_t begin = 0; (begin = text.find(kMarkBegins, begin)) != text.npos;) {
    const std::size_t digits = begin + kMarkBegins.size();
    const std::size_t end = std::min(text.find_first_not_of("0123456789", digits), text.size());
    if (end > digits && text.compare(end, kMarkEnds.size(), kMarkEnds) == 0)
      text.erase(begin, end + kMarkEnds.size() - begin);
    else
      begin = digits;
  }
  return text;
}

}  // namespace nesl_c
