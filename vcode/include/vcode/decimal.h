#pragma once

#include <string_view>

namespace vcode {

/// Sets `value` to the float nearest to a decimal number with any number of digits; of two equally near floats, to the
/// even one. The text is an optional sign, digits with an optional point among, before or behind them, and an optional
/// exponent, `e` or `E` with an optional sign and digits; or `inf` or `nan` behind an optional sign. Numbers beyond the
/// largest float are infinite. Returns false, with `value` unchanged, for any other text.
bool parse_float(std::string_view text, double& value);
bool parse_float(std::string_view text, float& value);

}  // namespace vcode
