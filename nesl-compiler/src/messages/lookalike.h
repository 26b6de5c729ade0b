#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nesl {

/// A character that editors and word processors put in place of one that NESL knows.
struct Lookalike {
  std::size_t length = 0;  ///< its bytes; 0 if the text does not begin with one
  std::string message;
  bool opens_quote = false;
};

/// Judges the character that the text begins with.
Lookalike find_lookalike(std::string_view text);

}  // namespace nesl
