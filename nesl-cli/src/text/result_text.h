#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "cvl/operands.h"
#include "nesl-compiler/value_shape.h"
#include "runtime/evaluator.h"

namespace nesl_cli {

/// Format of printed values.
struct ResultStyle {
  std::int64_t print_length = 100;  ///< elements shown of each sequence that is no string
  /// Characters shown of a string.
  std::int64_t string_length = INT64_MAX;
  bool classic = false;  ///< print floats like NESL 3.1, with at most 15 digits

  /// Number of characters after which no further elements are shown, so that deeply nested values stay readable.
  std::size_t longest() const {
    return kCharactersPerElement * static_cast<std::size_t>(std::clamp(print_length, kUsual, kMost));
  }

 private:
  static constexpr std::int64_t kUsual = 100, kMost = 1'000'000'000'000;
  static constexpr std::size_t kCharactersPerElement = 100;
};

/// The text of a value, given as the stack entries that nesl::ValueShape describes:
///
///   -3   0.25   1.5E-9   T   `a   "a \"string\""   "a str"...   [1, 2]   [1, 2,...]   (1, 2.0)   point(1, 2)   fn
///
/// Nothing if memory runs out while the value is copied to the host.
std::optional<std::string> result_text(const nesl::ValueShape& shape, std::span<const runtime::Value> entries,
                                       runtime::Evaluator& evaluator, const ResultStyle& style = {});

/// Element k of a vector of scalars as results show it; a character as in a string, with its escape.
std::string scalar_text(nesl::ValueShape::Kind kind, const cvl::Operand& elements, std::int64_t k,
                        bool classic = false);

/// Prints a float as in results: the fewest digits that are parsed as the same float; if `classic`, the fewest digits
/// of the float rounded to 15 digits. There is a digit on both sides of the point, and an exponent unless the magnitude
/// is between 0.001 and 10000000. Also inf, -inf and nan.
template <class Float>
std::string float_text(Float x, bool classic = false);

}  // namespace nesl_cli
