#pragma once

#include <cstddef>
#include <string>

namespace nesl_cli {

/// A number with three digits and a unit of thousands, as 12.3 M.
std::string scaled(double x);
/// A duration in seconds with three digits, as 12.3 ms.
std::string duration(double seconds);
/// A text with blanks in front, so that it has `width` columns.
std::string right(const std::string& text, std::size_t width);

}  // namespace nesl_cli
