#include "lookup.h"

#include <algorithm>

#include <fmt/format.h>

#include "syntax_page.h"

namespace nesl_cli {

namespace {

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// Indents each line of a text and trims blanks at both ends of the text.
std::string indented(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::size_t begin = at;
    while (begin < end && (text[begin] == ' ' || text[begin] == '\t')) ++begin;
    if (begin < end || !result.empty()) result += fmt::format("  {}\n", text.substr(begin, end - begin));
    at = end + 1;
  }
  while (result.size() > 2 && result.ends_with("  \n")) result.resize(result.size() - 3);
  return result;
}

}  // namespace

std::string description_text(const nesl::Session& session, const std::string& name) {
  const std::string wanted = lower_case(name);
  std::optional<nesl::Description> found = session.describe(wanted);
  if (!found && wanted == "syntax") return std::string(syntax_page());
  const std::vector<nesl::Description>& words = nesl::language_words();
  const auto word = std::find_if(words.begin(), words.end(), [&](const auto& w) { return w.name == wanted; });
  if (!found && word != words.end()) found = *word;
  if (!found) return "";
  std::string text = fmt::format("{} : {}\n", found->name, found->type);
  if (!found->doc.empty()) return text + indented(found->doc);
  if (!found->prelude) return text + "  defined in this session\n";
  return text;
}

std::string apropos_text(const nesl::Session& session, const std::string& word) {
  const std::string wanted = lower_case(word);
  std::vector<nesl::Description> all = session.apropos(wanted);
  for (const nesl::Description& known : nesl::language_words())
    if (known.name.find(wanted) != std::string::npos || known.doc.find(wanted) != std::string::npos)
      all.push_back(known);
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  std::size_t width = 0;
  constexpr std::size_t kWidest = 24;
  for (const nesl::Description& found : all) width = std::max(width, std::min(found.name.size(), kWidest));
  std::string text;
  for (const nesl::Description& found : all) text += fmt::format("{:<{}} : {}\n", found.name, width, found.type);
  return text;
}

std::string unknown_name_text(const nesl::Session& session, const std::string& name) {
  std::string text = fmt::format("there is no {}", name);
  const std::string wanted = lower_case(name);
  std::vector<std::string> containing;
  for (const std::string& other : session.names())
    if (other.find(wanted) != std::string::npos) containing.push_back(other);
  constexpr std::size_t kMost = 5;
  const std::string near = nesl::near_name(name, session.names());
  if (containing.empty() && !near.empty())
    text += fmt::format("; did you mean {}?", near);
  else if (!containing.empty() && containing.size() <= kMost)
    text += fmt::format("; there is {}", fmt::join(containing, ", "));
  else
    text += fmt::format("; apropos {} looks in the descriptions too", name);
  return text;
}

}  // namespace nesl_cli
