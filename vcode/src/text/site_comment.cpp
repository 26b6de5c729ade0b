#include "site_comment.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace vcode {
namespace {

/// Removes and returns the text before the next separator, and removes the separator.
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

/// Parses file:line:column, where the file's name may contain colons.
template <class Location>
bool parse_location(std::string_view text, Location& site) {
  std::size_t last = text.rfind(':');
  if (last == text.npos || last == 0) return false;
  std::size_t first = text.rfind(':', last - 1);
  if (first == text.npos) return false;
  site.file = text.substr(0, first);
  return parse_number(text.substr(first + 1, last - first - 1), site.line) &&
         parse_number(text.substr(last + 1), site.column);
}

/// Parses numbers, and a dot at the end if no enclosing level of a caller follows.
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

constexpr std::string_view kCall = " <";

/// Removes " <number" from the end of a function's field, or " <number function file:line:column" for each spelled-out
/// call, the outermost last. Returns the index of the call, or kNoCall if there is none or its number is unknown.
std::uint32_t take_call(std::string_view& field, std::vector<InlinedCall>& inlined, CallNumbers& numbers) {
  std::vector<std::pair<std::uint32_t, InlinedCall>> spelled;  // the innermost first
  std::uint32_t known = kNoCall;
  std::string_view rest = field;
  const std::size_t begin = std::min(rest.find(kCall), rest.size());
  for (rest.remove_prefix(begin); !rest.empty();) {
    rest.remove_prefix(kCall.size());
    std::string_view call = rest.substr(0, rest.find(kCall));
    rest.remove_prefix(call.size());
    std::uint32_t number = 0;
    const auto digits = take_until(call, ' ');
    if (!digits) {
      if (!rest.empty() || !parse_number(call, number)) return kNoCall;
      if (const auto found = numbers.find(number); found != numbers.end()) known = found->second;
      break;
    }
    InlinedCall made;
    const auto function = take_until(call, ' ');
    if (!parse_number(*digits, number) || !function || !parse_location(call, made)) return kNoCall;
    made.function = *function;
    spelled.emplace_back(number, std::move(made));
  }
  field = field.substr(0, begin);
  for (; !spelled.empty(); spelled.pop_back()) {
    inlined.push_back(std::move(spelled.back().second));
    inlined.back().around = known;
    known = numbers[spelled.back().first] = static_cast<std::uint32_t>(inlined.size() - 1);
  }
  return known;
}

/// Appends the form that take_call() parses. "<" in names becomes a question mark, and so does a blank in function
/// names.
void append_call(std::string& out, std::uint32_t call, const std::vector<InlinedCall>& inlined, CallNumbers& numbers) {
  std::vector<std::uint32_t> spelled;  // the innermost first
  for (; call != kNoCall && !numbers.contains(call); call = inlined[call].around) spelled.push_back(call);
  for (std::size_t k = spelled.size(); k-- > 0;)
    numbers.emplace(spelled[k], static_cast<std::uint32_t>(numbers.size() + 1));
  for (const std::uint32_t inner : spelled) {
    std::string function, file;
    append_field(function, inlined[inner].function);
    append_field(file, inlined[inner].file);
    std::replace(function.begin(), function.end(), ' ', '?');
    for (std::string* name : {&function, &file}) std::replace(name->begin(), name->end(), '<', '?');
    out += fmt::format("{}{} {} {}:{}:{}", kCall, numbers.at(inner), function, file, inlined[inner].line,
                       inlined[inner].column);
  }
  if (call != kNoCall) out += fmt::format("{}{}", kCall, numbers.at(call));
}

/// Parses a field of several lines: \n is a line end and \\ a backslash.
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

std::optional<InstructionSite> parse_site(std::string_view text, std::vector<InlinedCall>& inlined,
                                          CallNumbers& numbers) {
  InstructionSite site;
  auto location = take_until(text, '|');
  if (!location || !parse_location(*location, site.site)) return std::nullopt;
  auto function = take_until(text, '|');
  if (!function) {
    site.inlined = take_call(text, inlined, numbers);
    site.site.function = text;
    site.location_only = true;
    return site;
  }
  auto message = take_until(text, '|');
  const auto values = take_until(text, '|');
  const auto said = parse_lines(take_until(text, '|').value_or(""));
  if (!message || !said || !parse_nest(text, site)) return std::nullopt;
  site.inlined = take_call(*function, inlined, numbers);
  site.site.function = *function;
  site.site.message = *message;
  site.site.values = values.value_or("");
  site.site.said = *said;
  return site;
}

void append_site(std::string& out, const InstructionSite& site, const std::vector<InlinedCall>& inlined,
                 CallNumbers& numbers) {
  out += "{@";
  append_field(out, site.site.file);
  fmt::format_to(std::back_inserter(out), ":{}:{}|", site.site.line, site.site.column);
  append_field(out, site.site.function);
  append_call(out, site.inlined, inlined, numbers);
  if (site.location_only) {
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
