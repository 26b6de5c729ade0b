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

}  // namespace nesl_cli
