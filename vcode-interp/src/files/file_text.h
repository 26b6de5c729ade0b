#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace interp {

/// A location in a text; line and column count from 1. A line ends with LF, CR LF or CR.
struct TextLocation {
  std::size_t line = 1, column = 1;
};

/// The location behind the end of the text `before`.
TextLocation location_behind(std::string_view before);

/// The outcome of parsing a number.
enum class NumberText : std::uint8_t {
  kNumber,
  kNoNumber,
  kOutOfRange,  ///< a number whose magnitude is too large
};

/// Parses a whole text as an int with an optional sign.
NumberText parse_int(std::string_view text, std::int64_t& x);

/// Parses a whole text as a float: digits with optional sign, point and exponent; inf or nan. A number that is too
/// small gives the nearest float; a number too large for 64 bits (32 unless `wide`) is kOutOfRange.
NumberText parse_float(std::string_view text, bool wide, double& x);

/// Whether a finite number becomes infinite as a float of 32 bits.
bool overflows_narrow_float(double x);

}  // namespace interp
