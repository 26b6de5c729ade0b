#include "files/file_text.h"

#include <charconv>
#include <cmath>
#include <locale>
#include <sstream>
#include <string>

namespace interp {

namespace {

/// Drops a plus sign, which std::from_chars rejects.
std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

template <class T>
NumberText parse(std::string_view text, T& x) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return NumberText::kNoNumber;
  return error == std::errc() ? NumberText::kNumber : NumberText::kOutOfRange;
}

/// Parses a number that std::from_chars finds out of range. A stream distinguishes too large from too small.
NumberText parse_extreme(std::string_view text, double& x) {
  std::istringstream stream{std::string(text)};
  stream.imbue(std::locale::classic());
  return stream >> x ? NumberText::kNumber : NumberText::kOutOfRange;
}

}  // namespace

TextLocation location_behind(std::string_view before) {
  TextLocation location;
  std::size_t line_begin = 0;
  for (std::size_t k = 0; k < before.size(); ++k) {
    const bool ends = before[k] == '\n' || (before[k] == '\r' && (k + 1 == before.size() || before[k + 1] != '\n'));
    if (!ends) continue;
    ++location.line;
    line_begin = k + 1;
  }
  location.column = before.size() - line_begin + 1;
  return location;
}

NumberText parse_int(std::string_view text, std::int64_t& x) { return parse(without_plus(text), x); }

NumberText parse_float(std::string_view text, bool wide, double& x) {
  text = without_plus(text);
  NumberText result = parse(text, x);
  if (result == NumberText::kOutOfRange) result = parse_extreme(text, x);
  return result == NumberText::kNumber && !wide && overflows_narrow_float(x) ? NumberText::kOutOfRange : result;
}

bool overflows_narrow_float(double x) { return std::isfinite(x) && std::isinf(static_cast<float>(x)); }

}  // namespace interp
