#include "completion.h"

#include <algorithm>

#include "base/check.h"

namespace nesl_cli {

namespace {

char fold(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_name_part(char c) {
  static constexpr std::string_view kOthers = " \t\n-+#&'()*,/:;<=>@[\\]^{}?|!$`\".%";
  return kOthers.find(c) == std::string_view::npos;
}

}  // namespace

bool begins_with(std::string_view name, std::string_view prefix) {
  return name.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), name.begin(), [](char a, char b) { return fold(a) == fold(b); });
}

void settle(Completion& completion, std::size_t typed) {
  std::vector<std::string>& choices = completion.choices;
  if (choices.empty()) return;
  std::sort(choices.begin(), choices.end());
  choices.erase(std::unique(choices.begin(), choices.end()), choices.end());
  std::string_view common = choices.front();
  for (const std::string& choice : choices) {
    std::size_t same = 0;
    while (same < common.size() && same < choice.size() && common[same] == choice[same]) ++same;
    common = common.substr(0, same);
  }
  VC_CHECK(typed <= common.size());
  completion.insert = common.substr(typed);
  if (choices.size() == 1) choices.clear();
}

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
  settle(result, prefix.size());
  if (command && result.choices.empty() && !result.insert.empty()) result.insert += ' ';  // its argument follows
  return result;
}

}  // namespace nesl_cli
