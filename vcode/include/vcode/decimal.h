#pragma once

#include <string_view>

namespace vcode {

/// Sets `value` to the float nearest to a decimal number, of two equally near ones the even one, whatever its number of
/// digits: an optional sign, digits with an optional point among, before or behind them, and an optional exponent, `e`
/// or `E` with an optional sign and digits; or `inf` or `nan` behind an optional sign. Numbers beyond the largest float
/// are infinite. False, with `value` unchanged, if the text is anything else.
bool parse_float(std::string_view text, double& value);
bool parse_float(std::string_view text, float& value);

}  // namespace vcode
