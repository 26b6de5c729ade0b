#include "compare_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <regex>
#include <string_view>
#include <vector>

namespace {

/// A float, or the text between two floats.
struct Piece {
  std::string text;
  bool is_float = false;
};

std::vector<Piece> pieces_of(const std::string& text) {
  static const std::regex kFloat(R"([-+]?(\d+\.\d*([eE][-+]?\d+)?|\d+[eE][-+]?\d+|\binf\b|\bnan\b))");
  std::vector<Piece> pieces;
  auto end = text.cbegin();
  for (std::sregex_iterator match(text.begin(), text.end(), kFloat), none; match != none; ++match) {
    pieces.push_back({std::string(end, (*match)[0].first)});
    pieces.push_back({match->str(), true});
    end = (*match)[0].second;
  }
  pieces.push_back({std::string(end, text.cend())});
  return pieces;
}

bool close(double a, double b, Tolerance tolerance) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return true;
  return std::abs(a - b) <= tolerance.relative * std::max(std::abs(a), std::abs(b)) + tolerance.absolute &&
         std::isfinite(a) && std::isfinite(b);
}

bool agree(const Piece& a, const Piece& b, Tolerance tolerance) {
  if (a.text == b.text) return true;
  return a.is_float && b.is_float &&
         close(std::strtod(a.text.c_str(), nullptr), std::strtod(b.text.c_str(), nullptr), tolerance);
}

std::string excerpt(const std::string& text, std::size_t at) {
  constexpr std::size_t kLongest = 60;
  if (at >= text.size()) return "the end";
  return fmt::format("'{}'", std::regex_replace(text.substr(at, kLongest), std::regex("\n"), " "));
}

}  // namespace

Tolerance float_tolerance(int bits) { return bits == 32 ? Tolerance{1e-4, 1e-5} : Tolerance{1e-9, 1e-12}; }

std::string first_difference(const std::string& expected, const std::string& found, Tolerance tolerance) {
  if (expected == found) return "";
  const std::vector<Piece> a = pieces_of(expected), b = pieces_of(found);
  for (std::size_t k = 0; k < std::max(a.size(), b.size()); ++k) {
    const Piece nothing;
    const Piece &wanted = k < a.size() ? a[k] : nothing, &got = k < b.size() ? b[k] : nothing;
    if (agree(wanted, got, tolerance)) continue;
    const auto [in_wanted, in_got] =
        std::mismatch(wanted.text.begin(), wanted.text.end(), got.text.begin(), got.text.end());
    const std::size_t at = wanted.is_float || got.is_float ? 0 : std::size_t(in_wanted - wanted.text.begin());
    return "expected " + excerpt(wanted.text, at) + ", found " + excerpt(got.text, at);
  }
  return "";
}
