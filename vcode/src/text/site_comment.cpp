#include "site_comment.h"

#include <charconv>
#include <iterator>

#include <fmt/format.h>

namespace vcode {
namespace {

/// Takes off, and returns, the text before the next separator, and takes off the separator.
std::optional<std::string_view> take_until(std::string_view& text, char separator) {
  std::size_t at = text.find(separator);
  if (at == text.npos) return std::nullopt;
  std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + 1);
  return taken;
}

bool parse_number(std::string_view text, std::uint32_t& number) {
  const char* end = text.data() + text.size();
  auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stopped == end;
}

/// file:line:column, where the file's name may contain colons.
bool parse_place(std::string_view text, Site& site) {
  std::size_t last = text.rfind(':');
  if (last == text.npos || last == 0) return false;
  std::size_t first = text.rfind(':', last - 1);
  if (first == text.npos) return false;
  site.file = text.substr(0, first);
  return parse_number(text.substr(first + 1, last - first - 1), site.line) &&
         parse_number(text.substr(last + 1), site.column);
}

/// Numbers, and a dot where no enclosing level of a caller follows.
bool parse_nest(std::string_view text, InstructionSite& site) {
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word.empty()) continue;
    if (word == "." && text.empty()) {
      site.outermost = true;
      return true;
    }
    if (!parse_number(word, site.nest.emplace_back())) return false;
  }
  return true;
}

void append_field(std::string& out, std::string_view text) {
  for (char c : text) out += c == '}' || c == '|' || c == '\n' ? '?' : c;
}

/// A field of several lines: \n is a line end and \\ a backslash.
std::optional<std::string> parse_lines(std::string_view text) {
  std::string lines;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] != '\\') {
      lines += text[k];
      continue;
    }
    if (++k == text.size() || (text[k] != 'n' && text[k] != '\\')) return std::nullopt;
    lines += text[k] == 'n' ? '\n' : '\\';
  }
  return lines;
}

void append_lines(std::string& out, std::string_view text) {
  std::string field;
  for (char c : text) c == '\n' ? field += "\\n" : c == '\\' ? field += "\\\\" : field += c;
  append_field(out, field);
}

}  // namespace

std::optional<InstructionSite> parse_site(std::string_view text) {
  InstructionSite site;
  auto place = take_until(text, '|');
  if (!place || !parse_place(*place, site.site)) return std::nullopt;
  auto function = take_until(text, '|');
  if (!function) {
    site.site.function = text;
    site.place_only = true;
    return site;
  }
  auto message = take_until(text, '|');
  const auto values = take_until(text, '|');
  const auto said = parse_lines(take_until(text, '|').value_or(""));
  if (!message || !said || !parse_nest(text, site)) return std::nullopt;
  site.site.function = *function;
  site.site.message = *message;
  site.site.values = values.value_or("");
  site.site.said = *said;
  return site;
}

void append_site(std::string& out, const InstructionSite& site) {
  out += "{@";
  append_field(out, site.site.file);
  fmt::format_to(std::back_inserter(out), ":{}:{}|", site.site.line, site.site.column);
  append_field(out, site.site.function);
  if (site.place_only) {
    out += '}';
    return;
  }
  append_field(out += '|', site.site.message);
  if (!site.site.values.empty() || !site.site.said.empty()) append_field(out += '|', site.site.values);
  if (!site.site.said.empty()) append_lines(out += '|', site.site.said);
  out += '|';
  std::string_view separator = "";
  for (std::uint32_t distance : site.nest) {
    fmt::format_to(std::back_inserter(out), "{}{}", separator, distance);
    separator = " ";
  }
  if (site.outermost) (out += separator) += '.';
  out += '}';
}

}  // namespace vcode
