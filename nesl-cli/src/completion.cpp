#include "completion.h"

#include <algorithm>

namespace nesl_cli {

namespace {

char fold(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_name_part(char c) {
  static constexpr std::string_view kOthers = " \t\n-+#&'()*,/:;<=>@[\\]^{}?|!$`\".%";
  return kOthers.find(c) == std::string_view::npos;
}

bool begins_with(std::string_view name, std::string_view prefix) {
  return name.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), name.begin(), [](char a, char b) { return fold(a) == fold(b); });
}

}  // namespace

Completion complete(std::string_view before, const std::vector<std::string>& names,
                    const std::vector<std::string>& commands) {
  const bool command = before.starts_with(':') && before.find(' ') == std::string_view::npos;
  std::size_t begin = before.size();
  while (begin > 0 && is_name_part(before[begin - 1])) --begin;
  const std::string_view prefix = before.substr(begin);
  Completion result;
  if (prefix.empty() && !command) return result;
  for (const std::string& name : command ? commands : names)
    if (begins_with(name, prefix)) result.choices.push_back(name);
  if (result.choices.empty()) return result;
  std::sort(result.choices.begin(), result.choices.end());
  result.choices.erase(std::unique(result.choices.begin(), result.choices.end()), result.choices.end());
  std::string_view common = result.choices.front();
  for (const std::string& choice : result.choices) {
    std::size_t same = 0;
    while (same < common.size() && same < choice.size() && common[same] == choice[same]) ++same;
    common = common.substr(0, same);
  }
  result.insert = common.substr(prefix.size());
  if (result.choices.size() > 1) return result;
  if (command) result.insert += ' ';  // its argument follows
  result.choices.clear();
  return result;
}

}  // namespace nesl_cli
