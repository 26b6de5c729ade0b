#include "vcode/decimal.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

namespace vcode {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether an unsigned number with a digit other than 0 is 1 or more.
bool is_large(std::string_view text) {
  constexpr std::int64_t kFar = std::int64_t{1} << 40;  // beyond the number of digits of any text
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, e);
  const auto point = static_cast<std::int64_t>(std::min(digits.find('.'), e));
  const auto first = static_cast<std::int64_t>(digits.find_first_of("123456789"));
  std::int64_t exponent = 0;
  for (const char c : text.substr(e))
    if (is_digit(c)) exponent = std::min(10 * exponent + (c - '0'), kFar);
  if (text.substr(e).find('-') != std::string_view::npos) exponent = -exponent;
  return (first < point ? point - first - 1 : point - first) + exponent >= 0;
}

template <class F>
bool parse(std::string_view text, F& value) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  F x = 0;
  if (text == "nan") {
    x = std::numeric_limits<F>::quiet_NaN();
  } else if (text == "inf") {
    x = std::numeric_limits<F>::infinity();
  } else {
    if (text.empty() || !(is_digit(text[0]) || text[0] == '.')) return false;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (error == std::errc::invalid_argument || end != text.data() + text.size()) return false;
    if (error == std::errc::result_out_of_range) x = is_large(text) ? std::numeric_limits<F>::infinity() : F(0);
  }
  value = negative ? -x : x;
  return true;
}

}  // namespace

bool parse_float(std::string_view text, double& value) { return parse(text, value); }
bool parse_float(std::string_view text, float& value) { return parse(text, value); }

}  // namespace vcode
