#include "figures.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace nesl_cli {

std::string scaled(double x) {
  constexpr const char* kUnits[] = {"", " K", " M", " G", " T"};
  std::size_t unit = 0;
  for (; x >= 999.5 && unit + 1 < std::size(kUnits); ++unit) x /= 1000;
  return fmt::format("{:.{}f}{}", x, x < 9.995 ? 2 : x < 99.95 ? 1 : 0, kUnits[unit]);
}

std::string duration(double seconds) {
  constexpr const char* kUnits[] = {"s", "ms", "µs", "ns"};
  std::size_t unit = 0;
  for (; seconds < 0.9995 && unit + 1 < std::size(kUnits); ++unit) seconds *= 1000;
  return fmt::format("{:.{}f} {}", seconds, seconds < 9.995 ? 2 : seconds < 99.95 ? 1 : 0, kUnits[unit]);
}

std::string right(const std::string& text, std::size_t width) {
  const auto columns = static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  return std::string(columns < width ? width - columns : 0, ' ') + text;
}

}  // namespace nesl_cli
