#include "command_words.h"

#include <algorithm>

namespace nesl_cli {

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == ',') {
      ++at;
    } else if (text[at] == '"') {
      std::string& word = words.emplace_back();
      for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\' && at + 1 < text.size()) ++at;
        word += text[at];
      }
      ++at;
    } else {
      const std::size_t end = std::min(text.find_first_of(" \t\n,\"", at), text.size());
      words.push_back(text.substr(at, end - at));
      at = end;
    }
  }
  return words;
}

namespace {

/// The end of the string literal that begins at `begin`.
std::size_t string_end(const std::string& text, std::size_t begin) {
  std::size_t at = begin + 1;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

std::string without_blanks(const std::string& text) {
  constexpr const char* kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

}  // namespace

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      at = string_end(text, at);
      continue;
    }
    if (c == '`') ++at;  // skip any character of a character literal
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0) {
      parts.push_back(without_blanks(text.substr(begin, at - begin)));
      begin = at + 1;
    }
    ++at;
  }
  parts.push_back(without_blanks(text.substr(std::min(begin, text.size()))));
  return parts;
}

bool is_string(const std::string& text) { return text.starts_with('"') && string_end(text, 0) == text.size(); }

std::optional<bool> truth_of(const std::string& word) {
  if (word == "on" || word == "t" || word == "T") return true;
  if (word == "off" || word == "f" || word == "F") return false;
  return std::nullopt;
}

}  // namespace nesl_cli
