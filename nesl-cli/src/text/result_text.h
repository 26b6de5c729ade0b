#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "nesl-compiler/value_shape.h"
#include "runtime/evaluator.h"

namespace nesl_cli {

/// How values are printed.
struct ResultStyle {
  std::int64_t print_length = 100;  ///< elements shown of each sequence; strings are always shown whole
  bool classic = false;             ///< floats as NESL 3.1 prints them, with at most 15 digits

  /// After so many characters no more elements of any sequence are shown, so that deeply nested values stay readable.
  std::size_t longest() const {
    return kCharactersPerElement * static_cast<std::size_t>(std::clamp(print_length, kUsual, kMost));
  }

 private:
  static constexpr std::int64_t kUsual = 100, kMost = 1'000'000'000'000;
  static constexpr std::size_t kCharactersPerElement = 100;
};

/// The text of a value, given as the entries that a program leaves on the stack for it (nesl::ValueShape says which):
///
///   -3   0.25   1.5E-9   T   `a   "a \"string\""   [1, 2]   [1, 2,...]   (1, 2.0)   point(1, 2)   fn
///
/// Nothing if memory runs out while the value is brought to the host.
std::optional<std::string> result_text(const nesl::ValueShape& shape, std::span<const runtime::Value> entries,
                                       runtime::Evaluator& evaluator, const ResultStyle& style = {});

/// As results print floats: the fewest digits that are read back as the same float, or, as NESL 3.1 does it, those of
/// the float rounded to 15 digits; with a digit on both sides of the point, and with an exponent unless they are within
/// 0.001 and 10000000. Also inf, -inf and nan.
template <class Float>
std::string float_text(Float x, bool classic = false);

}  // namespace nesl_cli
