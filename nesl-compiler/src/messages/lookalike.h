#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nesl {

/// A character that editors and word processors substitute for an ASCII character of NESL.
struct Lookalike {
  std::size_t length = 0;  ///< number of bytes; 0 if the text does not begin with such a character
  std::string message;
  bool opens_quote = false;
};

/// Returns the look-alike that the text begins with, if any.
Lookalike find_lookalike(std::string_view text);

}  // namespace nesl
