#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace interp {

/// A place in a text, from 1 on. A line ends with LF, CR LF or CR.
struct TextPlace {
  std::size_t line = 1, column = 1;
};

/// Where the end of a text is that stands before a place.
TextPlace place_behind(std::string_view before);

/// What a text is as a number.
enum class NumberText : std::uint8_t {
  kNumber,
  kNoNumber,
  kOutOfRange,  ///< a number whose magnitude is too large
};

/// Reads the whole of a text as an int, with a sign or without.
NumberText parse_int(std::string_view text, std::int64_t& x);

/// Reads the whole of a text as a float: digits with a sign, point and exponent, or without; inf or nan. A number too
/// small for a float is the nearest float, one too large for a float of 64 bits (of 32 unless `wide`) out of range.
NumberText parse_float(std::string_view text, bool wide, double& x);

/// Whether a number is infinite only as a float of 32 bits.
bool overflows_narrow_float(double x);

}  // namespace interp
