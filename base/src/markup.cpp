#include "base/markup.h"

#include <algorithm>

#include "base/diagnostics.h"

namespace base {

std::string markup(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const char c = text[0];
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else if (length == 0 || (static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t') || c == '\x7F')
      result += '?';
    else
      result += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

}  // namespace base
