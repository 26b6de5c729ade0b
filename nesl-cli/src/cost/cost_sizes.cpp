#include "cost_sizes.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/diagnostics.h"

namespace nesl_cli {

namespace {

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0;; ++at) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    if (end == text.size()) return parts;
    at = end;
  }
}

std::optional<std::int64_t> read_number(std::string_view text) {
  std::int64_t unit = 1;
  if (!text.empty()) {
    switch (text.back()) {
      case 'k':
      case 'K':
        unit = 1'000;
        break;
      case 'm':
      case 'M':
        unit = 1'000'000;
        break;
      case 'g':
      case 'G':
        unit = 1'000'000'000;
        break;
      default:
        break;
    }
  }
  if (unit > 1) text.remove_suffix(1);
  std::int64_t number = 0, product = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_good = error == std::errc() && end == text.data() + text.size() && number >= 0 &&
                       !__builtin_mul_overflow(number, unit, &product);
  return is_good ? std::optional(product) : std::nullopt;
}

}  // namespace

std::optional<std::vector<std::int64_t>> read_sizes(std::string_view text, std::int64_t largest, std::string& error) {
  std::vector<std::int64_t> sizes;
  for (const std::string_view part : parts_of(text, ',')) {
    std::vector<std::int64_t> numbers;
    for (const std::string_view number : parts_of(part, ':')) {
      const std::optional<std::int64_t> read = read_number(number);
      if (!read) {
        error = fmt::format(
            "'{}' is no size: a size is a number, as 500 or 10K, and a range FIRST:LAST or "
            "FIRST:LAST:FACTOR",
            base::printable(std::string(part)));
        return std::nullopt;
      }
      if (*read > largest) {
        error = fmt::format("the size {} is too large: ints end at {}", base::printable(std::string(number)), largest);
        return std::nullopt;
      }
      numbers.push_back(*read);
    }
    if (numbers.size() == 1) {
      sizes.push_back(numbers[0]);
      continue;
    }
    const std::int64_t factor = numbers.size() == 3 ? numbers[2] : 2;
    if (numbers.size() > 3 || numbers[0] < 1 || numbers[1] < numbers[0] || factor < 2) {
      error = fmt::format("'{}' is no range of sizes: FIRST is at least 1, LAST at least FIRST, and FACTOR at least 2",
                          base::printable(std::string(part)));
      return std::nullopt;
    }
    for (std::int64_t size = numbers[0]; size < numbers[1]; size *= factor) {
      sizes.push_back(size);
      if (size > numbers[1] / factor) break;
    }
    sizes.push_back(numbers[1]);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

}  // namespace nesl_cli
