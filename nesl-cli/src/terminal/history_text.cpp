#include "history_text.h"

#include <algorithm>

namespace nesl_cli {

std::string one_line(const std::string& statement) {
  std::string line;
  bool in_string = false, in_comment = false;
  for (std::size_t at = 0; at < statement.size(); ++at) {
    const char c = statement[at];
    if (c == '\n' && !in_string) {
      line.resize(line.find_last_not_of(" \t\r") + 1);
      at = std::min(statement.find_first_not_of(" \t\r\n", at), statement.size()) - 1;
      if (at + 1 < statement.size() && !line.empty()) line += ' ';
      continue;
    }
    line += c;
    const bool literal = (c == '`' && !in_string && !in_comment) || (c == '\\' && in_string);
    if (literal && at + 1 < statement.size()) line += statement[++at];
    if (c == '"' && !in_comment) in_string = !in_string;
    if (c == '%' && !in_string) in_comment = !in_comment;
  }
  return line;
}

}  // namespace nesl_cli
